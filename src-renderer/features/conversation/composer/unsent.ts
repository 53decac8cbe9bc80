import type { UnsentMessage } from '#contract/window/conversation/conversation.js';

export const NOTHING_WRITTEN: UnsentMessage = { text: '', files: [], pictures: [], resources: [] };

export const joined = (first: UnsentMessage, second: UnsentMessage): UnsentMessage => ({
  text: [first.text, second.text].filter((text) => text !== '').join('\n\n'),
  files: [...new Set([...first.files, ...second.files])],
  pictures: [...first.pictures, ...second.pictures],
  resources: withResources(first.resources ?? [], second.resources ?? []),
});

export const isEmpty = ({ text, files, pictures, resources = [] }: UnsentMessage): boolean =>
  text.trim() === '' && files.length + pictures.length + resources.length === 0;

type Resources = NonNullable<UnsentMessage['resources']>;

/** Adds resources, each once, by its address. */
export const withResources = (known: Resources, added: Resources): Resources => [
  ...known,
  ...added.filter(({ source, uri }) => !known.some((each) => each.source === source && each.uri === uri)),
];
