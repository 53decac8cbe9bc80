import { bytesOfText, textOfBytes } from '../../handles/byte-name.js';

/**
 * Paths of the system are bytes, and those of a hostile workspace may be no text. They are kept with one character for each
 * byte, so that what looks like nothing is found as well.
 */
export const systemPath = (raw: string): string | Buffer => (isPlain(raw) ? raw : Buffer.from(raw, 'latin1'));

/** The path of a name in a folder; the folder is empty for the root itself. */
export const joinPath = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** The path as text, as far as it is text; it leads back to the same bytes. */
export const toShownPath = (raw: string): string => (isPlain(raw) ? raw : textOfBytes(Buffer.from(raw, 'latin1')));

export const toRawPath = (shown: string): string => (isPlain(shown) ? shown : latin1(bytesOfText(shown)));

const latin1 = (name: string | Buffer): string =>
  (typeof name === 'string' ? Buffer.from(name) : name).toString('latin1');

// oxlint-disable-next-line no-control-regex -- what is not ASCII is what is looked for.
const isPlain = (text: string): boolean => /^[\u{0}-\u{7f}]*$/u.test(text);
