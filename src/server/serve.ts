/**
 * Opens a port of this machine that leads to the hub: HTTP and WebSocket on one listener. It owns the listener, its sockets and
 * their limits; the hub owns the connections. An upgrade becomes socket → WsEndpoint (a link) → hub connection; everything else
 * goes to http-site.ts. Invariants: Host and Origin are checked before anything else; close() answers what has arrived, then cuts
 * what does not drain in time.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { WireError } from '../core/lib/errors.ts';
import type { Authenticate } from '../core/records/access/credentials.ts';
import type { McpSite } from '../mcp/http/mcp-site.ts';
import { createAuthentication } from './auth/authenticate.ts';
import { hostRefusal, isForwarded, isLoopback, reachableHost } from './auth/hosts.ts';
import type { ConformanceSite } from './conformance/site.ts';
import { InFlight, RequestPipeline } from './http/in-flight.ts';
import { refuseSocket } from './http/respond.ts';
import { type AnswerConformance, answerHttp } from './http-site.ts';
import { openPages, type PageSite } from './page/page-site.ts';
import { Addresses } from './port/addresses.ts';
import { httpServer, listen, waitUntilIdle } from './port/listen.ts';
import { maxSockets, maxSocketsPerAddress, RawSockets } from './port/raw-sockets.ts';
import { checkServeOptions, type ServeOptions, type ServeSettings } from './port/serve-options.ts';
import type { ServedHub } from './served-hub.ts';
import { EventLoopTicks } from './websocket/fair-reading.ts';
import { Heartbeat } from './websocket/heartbeat.ts';
import { WsEndpoint } from './websocket/ws-endpoint.ts';

/** A port that is open. */
export interface HubServer {
  readonly host: string;
  readonly port: number;
  /** For clients: `ws://127.0.0.1:4747`. Of a port on every address of this machine, the one of the loopback. */
  readonly url: string;
  /** Where people find the console; null = it is not served. */
  readonly console: string | null;
  /** Takes no more connections. Those that are open are the hub's to end: they get what was sent, for so long, and are cut then. */
  close(drainMs?: number): Promise<void>;
}

/** Pieces a frame may come in: each takes as long to look at as a small frame. */
const MAX_PIECES = 256;
/** How long what was sent last may take to leave when the port closes. */
const DRAIN_MS = 2_000;
/** And when a peer is sent away while the port goes on: a slow one has to read a lot before it comes to its goodbye. */
const FAREWELL_MS = 10_000;

/** How long requests that were on their way when the port closes are waited for, as long as more and more come. */
const LAST_CALL_MS = 1_000;

const now = (): number => performance.now();

export async function serve(hub: ServedHub, options: ServeOptions = {}): Promise<HubServer> {
  const settings = checkServeOptions(options);
  const judges = { token: (token: unknown) => hub.judgeToken(token) };
  const authentication = await createAuthentication(settings.auth, settings.host, judges);
  const pages = settings.console === null ? null : await openPages(settings.console.folder ?? undefined);
  return new Port(hub, settings, authentication, pages).open();
}

class Port {
  private readonly hub: ServedHub;
  private readonly settings: ServeSettings;
  private readonly authentication: (isForwarded: boolean) => Authenticate;
  private readonly pages: PageSite | null;
  private readonly server: Server;
  private readonly sockets: WebSocketServer;
  private readonly endpoints = new Set<WsEndpoint>();
  private readonly raw: RawSockets;
  private readonly inFlight: InFlight;
  private readonly line = new RequestPipeline();
  private readonly addresses: Addresses;
  private readonly turns = new EventLoopTicks();
  private readonly heartbeat: Heartbeat;
  private requests = 0;
  /** Made when somebody asks for it: most hubs are never asked. */
  private mcp: Promise<McpSite> | null = null;
  /** Of a port that has it; made when somebody asks for it. */
  private conformance: Promise<ConformanceSite> | null = null;
  private closing = false;

  constructor(
    hub: ServedHub,
    settings: ServeSettings,
    authentication: (isForwarded: boolean) => Authenticate,
    pages: PageSite | null,
  ) {
    this.hub = hub;
    this.pages = pages;
    this.authentication = authentication;
    this.settings = settings;
    this.addresses = new Addresses(settings.limits, now);
    this.heartbeat = new Heartbeat(this.endpoints, settings.limits, now);
    this.inFlight = new InFlight((code) => hub.refused(code));
    this.server = httpServer(settings, (request, response) => {
      this.requests += 1;
      this.line.take(request, response, () => this.respond(request, response));
    });
    const { maxConnections, maxConnectionsPerAddress } = settings.limits;
    const most = maxSockets(maxConnections, hub.log);
    this.server.maxConnections = most;
    this.raw = new RawSockets(this.server, maxSocketsPerAddress(most, maxConnectionsPerAddress));
    this.server.on('clientError', (error, socket) => this.inFlight.broken(error, socket));
    this.server.on('upgrade', (request, socket: Socket, head) => this.upgrade(request, socket, head));
    this.sockets = new WebSocketServer({
      noServer: true,
      maxPayload: hub.maxFrameBytes,
      perMessageDeflate: false,
      clientTracking: false,
      maxFragments: MAX_PIECES,
      // Answered by the endpoint: ws would answer each, whether the peer reads or not.
      autoPong: false,
      closeTimeout: FAREWELL_MS,
    } as ConstructorParameters<typeof WebSocketServer>[0]);
  }

  async open(): Promise<HubServer> {
    await listen(this.server, this.settings).catch((thrown: unknown) => {
      this.heartbeat.stop();
      throw thrown;
    });
    const { port } = this.server.address() as AddressInfo;
    const { host, tls } = this.settings;
    const reached = reachableHost(host);
    const shown = reached.includes(':') ? `[${reached}]` : reached;
    const place = `${tls === null ? '' : 's'}://${shown}:${port}`;
    return {
      host,
      port,
      url: `ws${place}`,
      console: this.pages === null ? null : `http${place}/`,
      close: (drainMs = DRAIN_MS) => this.close(drainMs),
    };
  }

  private respond(request: IncomingMessage, response: ServerResponse): void {
    const address = request.socket.remoteAddress ?? '';
    const cameThrough = isForwarded(request);
    const visitor = {
      forbidden: hostRefusal(request, this.settings.host, this.settings),
      isLocal: isLoopback(address) && !cameThrough,
      isTls: this.settings.tls !== null,
      needsNoProof: this.settings.auth.none === true && !cameThrough,
      authenticate: this.authentication(cameThrough),
      refusal: () => this.addresses.failureRefusal(address),
      unproven: () => void this.addresses.helloFailed(address),
    };
    // Answered while the port closes: the connection it came on would be kept for another that never comes.
    response.once('close', () => this.closing && setImmediate(() => this.server.closeIdleConnections()));
    this.inFlight.begin(request, response);
    const sites = {
      pages: this.pages,
      answerMcp: (...asked: Parameters<McpSite['answer']>) => this.answerMcp(...asked),
      answerConformance: this.answerConformance(),
    };
    void answerHttp({ ...this.hub, ...sites }, visitor, request, response);
  }

  private async answerMcp(...asked: Parameters<McpSite['answer']>): Promise<void> {
    this.mcp ??= import('../mcp/http/mcp-site.ts').then((loaded) => new loaded.McpSite(this.hub));
    await (await this.mcp).answer(...asked);
  }

  private answerConformance(): AnswerConformance | null {
    const settings = this.settings.conformance;
    if (settings === null) return null;
    return async (...asked) => {
      this.conformance ??= import('./conformance/site.ts').then((loaded) => new loaded.ConformanceSite(settings));
      await (await this.conformance).answer(...asked);
    };
  }

  private upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    if (!offersWebSocket(request)) return returnSocket(this.server, request, socket, head);
    const address = request.socket.remoteAddress ?? '';
    socket.on('error', () => socket.destroy());
    const forbidden = hostRefusal(request, this.settings.host, this.settings);
    if (forbidden !== null) return this.refuse(socket, new WireError('forbidden', forbidden));
    const busy = this.closing ? 'the hub is stopping' : this.addresses.refusal(address);
    if (busy !== null) return this.refuse(socket, new WireError('unavailable', busy, { retry_after_ms: 1_000 }));
    this.sockets.handleUpgrade(request, socket, head, (opened) => {
      this.raw.upgraded(socket);
      const endpoint = new WsEndpoint(opened, socket, this.turns, now);
      this.admit(endpoint, address, this.authentication(isForwarded(request)));
    });
  }

  private refuse(socket: Socket, error: WireError): void {
    this.hub.refused(error.code);
    refuseSocket(socket, error);
  }

  private admit(endpoint: WsEndpoint, address: string, authenticate: Authenticate): void {
    this.endpoints.add(endpoint);
    this.addresses.opened(address);
    let isPending = true;
    const settle = (): void => {
      if (isPending) this.addresses.settled();
      isPending = false;
      clearTimeout(tooLate);
    };
    const { handshakeMs } = this.settings.limits;
    const tooLate = setTimeout(() => endpoint.close(`nobody was bound within ${handshakeMs} ms`), handshakeMs);
    endpoint.onClose(() => {
      settle();
      this.endpoints.delete(endpoint);
      this.addresses.closed(address);
    });
    this.hub.accept(endpoint, {
      address,
      authenticate,
      pingMs: this.settings.limits.pingMs,
      bound: settle,
      helloFailed: () => this.addresses.helloFailed(address),
    });
  }

  /** Idempotent. */
  private async close(drainMs: number): Promise<void> {
    this.closing = true;
    this.heartbeat.stop();
    this.inFlight.lastCall();
    void this.conformance?.then((site) => site.close());
    // What has come and was not read yet is answered, not cut off.
    await waitUntilIdle(() => this.raw.accepted + this.requests, Math.min(LAST_CALL_MS, drainMs));
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeIdleConnections();
    void this.mcp?.then((mcp) => mcp.close());
    const cut = setTimeout(() => {
      for (const endpoint of this.endpoints) endpoint.destroy();
      // Also those that never got as far as a request, or as TLS.
      this.raw.destroyAll();
    }, drainMs);
    await closed;
    clearTimeout(cut);
  }
}

const OFFERS: ReadonlySet<string> = new Set(['upgrade', 'connection', 'http2-settings']);

function offersWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Answers a request that offers another protocol, such as HTTP/2, as if it did not. Node has taken the socket from the server: it is
 * given back with all that was read and without the offer.
 */
function returnSocket(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (!OFFERS.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[i + 1]}`);
  }
  // Headers are bytes, each a character.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket);
}
