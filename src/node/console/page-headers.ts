/** What a browser is told about the console's page: only what is served here may run in it, and nobody may put it into a frame. */

const POWERS = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'microphone',
  'payment',
  'usb',
];

/** `host` is that of the request, which was judged before. */
export function pageHeaders(host: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': policyFor(host),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': POWERS.map((power) => `${power}=()`).join(', '),
  };
}

function policyFor(host: string): string {
  // Some browsers do not take a WebSocket of the same address for 'self'. A proxy may speak TLS for us.
  const sockets = /^[a-z0-9.:[\]-]+$/i.test(host) ? ` ws://${host} wss://${host}` : '';
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${sockets}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
