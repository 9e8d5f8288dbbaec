/**
 * Opens a port to the hub: HTTP and WebSocket on one listener. Host and Origin are checked before anything else. `close()` answers
 * requests that have arrived, then destroys sockets that do not drain in time.
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

/** An open port. */
export interface HubServer {
  readonly host: string;
  readonly port: number;
  /** Client URL such as `ws://127.0.0.1:4747`; the loopback address if the port listens on all addresses. */
  readonly url: string;
  /** Console URL; null if the console is not served. */
  readonly console: string | null;
  /** Accepts no more connections. The hub ends open ones; sockets that do not drain within `drainMs` are destroyed. */
  close(drainMs?: number): Promise<void>;
}

/** Maximum fragments of a frame: each costs as much as a small frame. */
const MAX_PIECES = 256;
/** Time to send the last bytes when the port closes. */
const DRAIN_MS = 2_000;
/** Time for a rejected peer to read its goodbye while the port stays open. */
const FAREWELL_MS = 10_000;

/** Maximum wait at close for requests that keep arriving. */
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
  private readonly pipeline = new RequestPipeline();
  private readonly addresses: Addresses;
  private readonly ticks = new EventLoopTicks();
  private readonly heartbeat: Heartbeat;
  private requests = 0;
  /** Loaded at the first MCP request. */
  private mcp: Promise<McpSite> | null = null;
  /** Loaded at the first conformance request. */
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
      this.pipeline.take(request, response, () => this.respond(request, response));
    });
    const { maxConnections, maxConnectionsPerAddress } = settings.limits;
    const max = maxSockets(maxConnections, hub.log);
    this.server.maxConnections = max;
    this.raw = new RawSockets(this.server, maxSocketsPerAddress(max, maxConnectionsPerAddress));
    this.server.on('clientError', (error, socket) => this.inFlight.broken(error, socket));
    this.server.on('upgrade', (request, socket: Socket, head) => this.upgrade(request, socket, head));
    this.sockets = new WebSocketServer({
      noServer: true,
      maxPayload: hub.maxFrameBytes,
      perMessageDeflate: false,
      clientTracking: false,
      maxFragments: MAX_PIECES,
      // The endpoint answers pings: ws would answer each one even if the peer never reads.
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
    const reachable = reachableHost(host);
    const shownHost = reachable.includes(':') ? `[${reachable}]` : reachable;
    const address = `${tls === null ? '' : 's'}://${shownHost}:${port}`;
    return {
      host,
      port,
      url: `ws${address}`,
      console: this.pages === null ? null : `http${address}/`,
      close: (drainMs = DRAIN_MS) => this.close(drainMs),
    };
  }

  private respond(request: IncomingMessage, response: ServerResponse): void {
    const address = request.socket.remoteAddress ?? '';
    const isProxied = isForwarded(request);
    const visitor = {
      forbidden: hostRefusal(request, this.settings.host, this.settings),
      isLocal: isLoopback(address) && !isProxied,
      isTls: this.settings.tls !== null,
      needsNoProof: this.settings.auth.none === true && !isProxied,
      authenticate: this.authentication(isProxied),
      refusal: () => this.addresses.failureRefusal(address),
      unproven: () => void this.addresses.helloFailed(address),
    };
    // Answered while the port closes: close its connection, which would otherwise wait for another request.
    response.once('close', () => this.closing && setImmediate(() => this.server.closeIdleConnections()));
    this.inFlight.begin(request, response);
    const sites = {
      pages: this.pages,
      answerMcp: (...args: Parameters<McpSite['answer']>) => this.answerMcp(...args),
      answerConformance: this.answerConformance(),
    };
    void answerHttp({ ...this.hub, ...sites }, visitor, request, response);
  }

  private async answerMcp(...args: Parameters<McpSite['answer']>): Promise<void> {
    this.mcp ??= import('../mcp/http/mcp-site.ts').then((loaded) => new loaded.McpSite(this.hub));
    await (await this.mcp).answer(...args);
  }

  private answerConformance(): AnswerConformance | null {
    const settings = this.settings.conformance;
    if (settings === null) return null;
    return async (...args) => {
      this.conformance ??= import('./conformance/site.ts').then((loaded) => new loaded.ConformanceSite(settings));
      await (await this.conformance).answer(...args);
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
      const endpoint = new WsEndpoint(opened, socket, this.ticks, now);
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
    const tooLate = setTimeout(() => endpoint.close(`no identity was bound within ${handshakeMs} ms`), handshakeMs);
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

  private async close(drainMs: number): Promise<void> {
    this.closing = true;
    this.heartbeat.stop();
    this.inFlight.lastCall();
    void this.conformance?.then((site) => site.close());
    // Answer requests that have arrived but were not read yet.
    await waitUntilIdle(() => this.raw.accepted + this.requests, Math.min(LAST_CALL_MS, drainMs));
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeIdleConnections();
    void this.mcp?.then((mcp) => mcp.close());
    const cut = setTimeout(() => {
      for (const endpoint of this.endpoints) endpoint.destroy();
      // Include sockets that never completed a request or a TLS handshake.
      this.raw.destroyAll();
    }, drainMs);
    await closed;
    clearTimeout(cut);
  }
}

const UPGRADE_HEADERS: ReadonlySet<string> = new Set(['upgrade', 'connection', 'http2-settings']);

function offersWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Serves a request that offers another protocol, such as HTTP/2, as plain HTTP/1.1. Node detached the socket, so give it back to
 * the server with everything that was read, minus the offer.
 */
function returnSocket(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (!UPGRADE_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[i + 1]}`);
  }
  // latin1: header bytes map to characters one to one.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket);
}
