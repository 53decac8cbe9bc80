import { shell } from 'electron';

/** Where a link may lead: pages that Gatehouse itself points at. Anything else could be a trap in what a tool printed. */
const ALLOWED_HOSTS = new Set([
  'github.com',
  'modelcontextprotocol.io',
  'www.electronjs.org',
  'toml.io',
  'json-schema.org',
  'opentelemetry.io',
  'docs.anthropic.com',
  'code.claude.com',
  'console.anthropic.com',
]);

export function isAllowedExternal(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password, port } = new URL(url);
  return protocol === 'https:' && port === '' && username === '' && password === '' && ALLOWED_HOSTS.has(hostname);
}

/** False where the link is not on the list. */
export async function openExternal(url: string): Promise<boolean> {
  if (!isAllowedExternal(url)) return false;
  await shell.openExternal(new URL(url).href);
  return true;
}

/** A page of the web, wherever it is: the person saw the whole address. False where it is anything else. */
export async function openLink(url: string): Promise<boolean> {
  if (!isWebPage(url)) return false;
  await shell.openExternal(new URL(url).href);
  return true;
}

export function isWebPage(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}
