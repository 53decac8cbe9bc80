import { visibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { PersonPart } from './message.js';

const LONGEST = 60;
const LONGEST_SUMMARY = 120;

/** The title of a conversation until the person names it: the beginning of its first message. */
export function titleOf(parts: readonly PersonPart[]): string {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const line = texts.map(firstLine).find((each) => each !== '');
  if (line !== undefined) return cut(visibleLine(line), LONGEST);
  const file = parts.find((part) => part.kind === 'file');
  if (file !== undefined) return cut(visibleLine(file.path), LONGEST);
  const resource = parts.find((part) => part.kind === 'resource');
  if (resource !== undefined) return cut(visibleLine(resource.name), LONGEST);
  return parts.some(({ kind }) => kind === 'picture') ? 'Picture' : '';
}

/** The summary of a conversation in one line: the beginning of its last message. */
export const summaryOf = (last: string): string => cut(visibleLine(firstLine(last)), LONGEST_SUMMARY);

const firstLine = (text: string): string =>
  text
    .slice(0, 10_000)
    .split('\n')
    .map(withoutMarks)
    .find((each) => each !== '') ?? '';

/** Strips the marks of Markdown: those that begin a heading, a list or a quotation, and fences. */
const withoutMarks = (line: string): string =>
  line.replace(/^\s*(?:#{1,6}\s|[-*+>]\s|\d+[.)]\s|(?:`{3}|~{3}).*$)*/u, '').trim();

function cut(line: string, longest: number): string {
  const letters = [...new Intl.Segmenter('en').segment(line)];
  if (letters.length <= longest) return line;
  const text = line.slice(0, letters[longest]?.index);
  const end = text.lastIndexOf(' ');
  return `${(end > longest / 2 ? text.slice(0, end) : text).trimEnd()}…`;
}
