import type { PlanPreview } from '#contract/vocabulary/tools/tools.js';

/** Words the tester's verdict on a call. */
export function describeTest(plan: PlanPreview): { readonly title: string; readonly severity: 'info' | 'warning' } {
  switch (plan.disposition) {
    case 'run':
      return { title: 'It would run without asking', severity: 'info' };
    case 'ask':
      return { title: 'It would ask you first', severity: 'info' };
    case 'settled':
      return {
        title: plan.code === null ? 'It would not run' : `It would be refused: ${plan.code}`,
        severity: 'warning',
      };
  }
}
