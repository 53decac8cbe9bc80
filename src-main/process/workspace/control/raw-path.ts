/**
 * Paths of the system are bytes, and those of a hostile workspace may be no text. They are kept with one character for each
 * byte, so that what looks like nothing is found as well.
 */
export const systemPath = (raw: string): string | Buffer => (isPlain(raw) ? raw : Buffer.from(raw, 'latin1'));

/** What is in a folder; empty for the root itself. */
export const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** As people read it. */
export const shownPath = (raw: string): string => (isPlain(raw) ? raw : Buffer.from(raw, 'latin1').toString('utf8'));

export const rawPath = (shown: string): string => (isPlain(shown) ? shown : Buffer.from(shown).toString('latin1'));

// oxlint-disable-next-line no-control-regex -- what is not ASCII is what is looked for.
const isPlain = (text: string): boolean => /^[\u{0}-\u{7f}]*$/u.test(text);
