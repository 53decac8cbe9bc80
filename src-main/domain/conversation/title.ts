import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { PersonPart } from './message.js';

const MAX_TITLE = 60;
const MAX_SUMMARY = 120;

/** The title of a conversation until the person names it: the beginning of its first message. */
export function makeTitle(parts: readonly PersonPart[]): string {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const line = texts.map(findFirstLine).find((each) => each !== '');
  if (line !== undefined) return shortenLine(toVisibleLine(line), MAX_TITLE);
  const file = parts.find((part) => part.kind === 'file');
  if (file !== undefined) return shortenLine(toVisibleLine(file.path), MAX_TITLE);
  const resource = parts.find((part) => part.kind === 'resource');
  if (resource !== undefined) return shortenLine(toVisibleLine(resource.name), MAX_TITLE);
  return parts.some(({ kind }) => kind === 'picture') ? 'Picture' : '';
}

/** The summary of a conversation in one line: the beginning of its last message. */
export const makeSummary = (last: string): string => shortenLine(toVisibleLine(findFirstLine(last)), MAX_SUMMARY);

const findFirstLine = (text: string): string =>
  text
    .slice(0, 10_000)
    .split('\n')
    .map(stripMarkdown)
    .find((each) => each !== '') ?? '';

/** Strips the marks of Markdown: those that begin a heading, a list or a quotation, and fences. */
const stripMarkdown = (line: string): string =>
  line.replace(/^\s*(?:#{1,6}\s|[-*+>]\s|\d+[.)]\s|(?:`{3}|~{3}).*$)*/u, '').trim();

function shortenLine(line: string, longest: number): string {
  const letters = [...new Intl.Segmenter('en').segment(line)];
  if (letters.length <= longest) return line;
  const text = line.slice(0, letters[longest]?.index);
  const end = text.lastIndexOf(' ');
  return `${(end > longest / 2 ? text.slice(0, end) : text).trimEnd()}…`;
}
