import { randomBytes } from 'node:crypto';
import { protocol, type Session } from 'electron';

export const APP_ORIGIN = 'gatehouse://app';
export const APP_URL = `${APP_ORIGIN}/index.html`;

/** Registers the app's scheme. Must run before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'gatehouse', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  json: 'application/json',
  map: 'application/json',
};

/**
 * The content security policy: nothing inline, nothing evaluated, nothing from anywhere else. Libraries that make style
 * elements (the terminal) give them the nonce, which is new with every load and is in the page's `<meta
 * property="csp-nonce">`.
 */
export function buildContentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-src 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');
}

/** Reads a picture that a source gave: main has looked at it, and knows what it is. */
export type ReadPicture = (
  callId: string,
  number: number,
) => Promise<{ readonly bytes: Uint8Array; readonly mediaType: string } | null>;

/** Serves a picture so that it is drawn as one or not at all: nothing in it is a page, whatever it says. */
async function answerPicture(place: PictureAddress, read: ReadPicture): Promise<Response> {
  const picture = await read(place.callId, place.number);
  if (picture === null) return new Response('Not found', { status: 404 });
  return new Response(picture.bytes.slice().buffer, {
    headers: {
      'content-type': picture.mediaType,
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    },
  });
}

interface PictureAddress {
  readonly callId: string;
  readonly number: number;
}

function parsePictureUrl(url: string): PictureAddress | null {
  const [, callId, number] = /^gatehouse:\/\/app\/kept\/([\w.-]{1,200})\/(\d{1,7})$/u.exec(url) ?? [];
  return callId === undefined || number === undefined ? null : { callId, number: Number(number) };
}

export type ReadAsset = (path: string) => Promise<Uint8Array | null>;

export async function answerAsset(request: { url: string; method: string }, read: ReadAsset): Promise<Response> {
  const path = parseAssetPath(request.url);
  if (request.method !== 'GET' || path === null) return new Response('Not found', { status: 404 });
  const bytes = await read(path);
  if (bytes === null) return new Response('Not found', { status: 404 });
  const type = CONTENT_TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const nonce = randomBytes(16).toString('base64');
  const headers = {
    'content-type': type,
    'content-security-policy': buildContentSecurityPolicy(nonce),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    // No opener policy: nothing opens this page or is opened by it, and with one Chromium starts a second process for it.
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), usb=(), serial=(), hid=()',
    'cache-control': path === 'index.html' ? 'no-store' : 'max-age=31536000, immutable',
  };
  if (path === 'index.html') return new Response(insertNonce(new TextDecoder().decode(bytes), nonce), { headers });
  return new Response(bytes.slice().buffer, { headers });
}

/** The path of an asset: plain names below the renderer's folder, and nothing that could lead out of it. */
function parseAssetPath(url: string): string | null {
  if (!url.startsWith(`${APP_ORIGIN}/`)) return null;
  const path = new URL(url).pathname.slice(1);
  return /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/.test(path) ? path : null;
}

const insertNonce = (html: string, nonce: string): string =>
  html.replace('<head>', `<head><meta property="csp-nonce" nonce="${nonce}">`);

export function serveApp(session: Session, read: ReadAsset, readPicture: ReadPicture): void {
  session.protocol.handle('gatehouse', (request) => {
    const place = request.method === 'GET' ? parsePictureUrl(request.url) : null;
    return place === null ? answerAsset(request, read) : answerPicture(place, readPicture);
  });
}
