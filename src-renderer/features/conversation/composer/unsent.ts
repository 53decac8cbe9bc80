import type { UnsentMessage } from '#contract/window/conversation/conversation.js';

export const EMPTY_DRAFT: UnsentMessage = { text: '', files: [], pictures: [], resources: [] };

export const joinUnsent = (first: UnsentMessage, second: UnsentMessage): UnsentMessage => ({
  text: [first.text, second.text].filter((text) => text !== '').join('\n\n'),
  files: [...new Set([...first.files, ...second.files])],
  pictures: [...first.pictures, ...second.pictures],
  resources: addResources(first.resources ?? [], second.resources ?? []),
});

export const isEmpty = ({ text, files, pictures, resources = [] }: UnsentMessage): boolean =>
  text.trim() === '' && files.length + pictures.length + resources.length === 0;

type AttachedResources = NonNullable<UnsentMessage['resources']>;

/** Adds resources, each once, by its address. */
export const addResources = (known: AttachedResources, added: AttachedResources): AttachedResources => [
  ...known,
  ...added.filter(({ source, uri }) => !known.some((each) => each.source === source && each.uri === uri)),
];
