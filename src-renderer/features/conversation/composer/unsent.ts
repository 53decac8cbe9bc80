import type { Unsent } from '#contract/window/conversation/conversation.js';

export const NOTHING_WRITTEN: Unsent = { text: '', files: [], pictures: [] };

export const joined = (first: Unsent, second: Unsent): Unsent => ({
  text: [first.text, second.text].filter((text) => text !== '').join('\n\n'),
  files: [...new Set([...first.files, ...second.files])],
  pictures: [...first.pictures, ...second.pictures],
});

export const isEmpty = ({ text, files, pictures }: Unsent): boolean =>
  text.trim() === '' && files.length === 0 && pictures.length === 0;
