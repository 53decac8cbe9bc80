import { writeFile } from 'node:fs/promises';

/** Writes a file to the place that the person chose in the system's own dialog, in place of what was there. */
export const saveFile = (path: string, bytes: Uint8Array): Promise<void> => writeFile(path, bytes);
