import type { PlanPreview } from '#contract/vocabulary/tools/tools.js';
import type { Disposition } from '../../domain/ports/gate/planner.js';

/** Renders the disposition of a call as the window shows it before anything is asked. */
export function previewOf(disposition: Disposition): PlanPreview {
  switch (disposition.kind) {
    case 'run':
      return {
        disposition: 'run',
        why: disposition.grant.rule,
        rule: disposition.grant.from,
        summary: disposition.call.summary,
        risk: disposition.call.risk,
        code: null,
      };
    case 'ask':
      return {
        disposition: 'ask',
        why: disposition.why,
        rule: disposition.rule,
        summary: disposition.call.summary,
        risk: disposition.call.risk,
        code: null,
      };
    case 'await-result':
      return {
        disposition: 'ask',
        why: disposition.why,
        rule: disposition.rule,
        summary: disposition.summary,
        risk: null,
        code: null,
      };
    case 'settled':
      return {
        disposition: 'settled',
        why: disposition.failure.message,
        rule: disposition.failure.rule ?? null,
        summary: null,
        risk: null,
        code: disposition.failure.code,
      };
  }
}
