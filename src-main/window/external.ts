import { shell } from 'electron';

/** Opens a page of the web, wherever it is: the person saw the whole address. False where it is anything else. */
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
