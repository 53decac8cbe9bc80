import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { Detector } from '../../domain/text/secrets/find.js';
import type { Span } from '../../domain/text/secrets/spans.js';
import { findAnchors } from './rule-anchors.js';

/** The part of a secretlint rule that is used here. Its own types are another package's. */
interface DetectorRule {
  readonly meta: { readonly id: string };
  create(context: RuleContext, options: object): { file?(source: DetectorSource): unknown };
}
interface RuleContext {
  createTranslator(): () => { message: string; messageId: string };
  report(found: { readonly range: readonly [number, number] }): void;
  ignore(): void;
}
interface DetectorSource {
  readonly content: Matched;
  readonly filePath: string | undefined;
  readonly ext: string;
  readonly contentType: 'text';
}

/**
 * The text as the rules get it. Some say where they matched from with the length of the value alone, so that a place would
 * begin too early and leave the value's end: how far the match really reached is kept here, where they ask for it.
 */
class Matched extends String {
  #from = 0;
  #to = 0;

  override *matchAll(pattern: RegExp): RegExpStringIterator<RegExpExecArray> {
    for (const match of super.matchAll(pattern)) {
      this.#from = match.index;
      this.#to = match.index + match[0].length;
      yield match;
    }
  }

  /** Extends a span from where a rule reports it to its value's end, which lies within its match. */
  extendSpan([start, end]: readonly [number, number]): Span {
    return { start, end: start === this.#from ? Math.max(end, this.#to) : end };
  }
}

/** Rules that are left out: whoever writes the text may not switch the rules off in it. */
const LEFT_OUT = /filter-comments$/u;

/**
 * The rules of secretlint's recommended preset, each run over a text as its own engine runs them over a file. They are quick
 * and take no text its square; those that would read a file by its path are given none.
 */
export function createPresetDetector(): Detector {
  let found: Span[] = [];
  let content = new Matched('');
  const context: RuleContext = {
    createTranslator: () => () => ({ message: '', messageId: '' }),
    report: ({ range }) => void found.push(content.extendSpan(range)),
    ignore: () => undefined,
  };
  return (rules as unknown as readonly DetectorRule[])
    .filter(({ meta }) => !LEFT_OUT.test(meta.id))
    .map((rule) => {
      const handler = rule.create(context, {});
      const find = (text: string): readonly Span[] => {
        if (!WORTH_A_LOOK.test(text)) return [];
        found = [];
        content = new Matched(text);
        handler.file?.({ content, filePath: undefined, ext: '', contentType: 'text' });
        return found.filter(({ start, end }) => end - start < text.length || text.length < MAX_WHOLE_LENGTH);
      };
      return { anchors: findAnchors(rule.meta.id), find };
    });
}

/**
 * Matches texts that can have a finding: these rules only find runs of so many characters, or addresses. Most words of
 * the gate have neither.
 */
const WORTH_A_LOOK = /[\w.+/=-]{13}|:\/\//u;

/** A rule that means “this whole file” says nothing about a text of this length. */
const MAX_WHOLE_LENGTH = 16_384;
