import type { RulePreview } from '#contract/window/approvals.js';
import { isJsonObject, type JsonObject } from '#contract/vocabulary/json.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { NewRule, PastCall } from '../../domain/ports/gate/standing-rules.js';
import type { Tool } from '../../domain/tool/tool.js';
import type { ComposedGate } from '../gate/gate.js';
import type { Record } from '../record.js';
import type { ToolsWing } from '../tools.js';

/** So many of the last calls of a tool are looked at for what a rule would have covered. */
const LOOKED_AT = 200;

interface RuleHistoryDeps {
  readonly gate: ComposedGate;
  readonly record: Record;
  readonly tools: ToolsWing;
}

/** The dry run: which of the calls of before a rule would have let through, as if each were asked now, in one folder. */
export async function wouldHaveCovered(
  { gate, record, tools }: RuleHistoryDeps,
  rule: NewRule,
  situation: PlanningSituation,
  examples: number,
): Promise<RulePreview> {
  const { calls } = await record.reader.page({ limit: LOOKED_AT, before: null, filter: { tool: rule.tool } });
  const past: { readonly call: PastCall; readonly summary: string }[] = [];
  const tool = tools.registry.lookup(rule.tool)?.tool ?? null;
  for (const { callId, summary, outcome } of calls) {
    const detail = outcome === null ? null : await record.reader.detail(callId);
    if (detail === null || tool === null || detail.toolId !== tool.declaration.id || !isJsonObject(detail.arguments))
      continue;
    const words = wordsOf(tool, detail.arguments);
    if (words !== undefined) past.push({ call: { tool: tool.declaration, words, agent: detail.agent }, summary });
  }
  const covered = await gate.rules.wouldCover(
    rule,
    past.map(({ call }) => call),
    situation,
  );
  const found = past.filter((_each, at) => covered[at] === true);
  return {
    looked: past.length,
    covered: found.length,
    examples: [...new Set(found.map(({ summary }) => summary))].slice(0, examples),
  };
}

/** The words that a rule for this call would be for. Undefined where its arguments are none that the tool takes. */
export function wordsOf(tool: Tool<unknown>, args: JsonObject): string | null | undefined {
  try {
    const key = tool.ruleScope(tool.parse(args));
    return key.of === 'tool' ? null : key.words;
  } catch {
    return undefined;
  }
}
