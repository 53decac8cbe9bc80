import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { Detector } from '../../domain/text/secrets/find.js';
import type { Span } from '../../domain/text/secrets/spans.js';

/** As much of a rule of secretlint as is used here. Its own types are another package's. */
interface Rule {
  readonly meta: { readonly id: string };
  create(context: RuleContext, options: object): { file?(source: Source): unknown };
}
interface RuleContext {
  createTranslator(): () => { message: string; messageId: string };
  report(found: { readonly range: readonly [number, number] }): void;
  ignore(): void;
}
interface Source {
  readonly content: string;
  readonly filePath: string | undefined;
  readonly ext: string;
  readonly contentType: 'text';
}

/** Whoever writes the text may not switch the rules off in it. */
const LEFT_OUT = /filter-comments$/u;

/**
 * The rules of secretlint's recommended preset, run over a text one after the other, as its own engine runs them over a
 * file. They are quick and take no text its square; those that would read a file by its path are given none.
 */
export function keptDetector(): Detector {
  let found: Span[] = [];
  const context: RuleContext = {
    createTranslator: () => () => ({ message: '', messageId: '' }),
    report: ({ range: [start, end] }) => void found.push({ start, end }),
    ignore: () => undefined,
  };
  const handlers = (rules as unknown as readonly Rule[])
    .filter(({ meta }) => !LEFT_OUT.test(meta.id))
    .map((rule) => rule.create(context, {}));
  return (text) => {
    if (!WORTH_A_LOOK.test(text)) return [];
    found = [];
    const source: Source = { content: text, filePath: undefined, ext: '', contentType: 'text' };
    for (const handler of handlers) handler.file?.(source);
    return found.filter(({ start, end }) => end - start < text.length || text.length < LONGEST_WHOLE);
  };
}

/** All that these rules find stands in a run of so many characters, or in an address. Most words of the gate have neither. */
const WORTH_A_LOOK = /[\w.+/=-]{13}|:\/\//u;

/** A rule that means “this whole file” says nothing about a text of this length. */
const LONGEST_WHOLE = 16_384;
