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
