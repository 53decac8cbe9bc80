import { Popover } from '@base-ui/react/popover';
import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { ChevronUp } from 'lucide-react';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import { Button } from '../../../ui/form/button.js';
import { TextField } from '../../../ui/form/text-field.js';
import { Visible } from '../../../ui/text/visible.js';
import { commandOf, ruleOf, type SheetState } from './sheet-state.js';
import { rememberProblem } from './decide-request.js';

const SCOPES = [
  { value: 'once', label: 'Only this time', short: 'Remember' },
  { value: 'session', label: 'Until Gatehouse closes', short: 'Remember: session' },
  { value: 'workspace', label: 'In this workspace', short: 'Remember: workspace' },
  { value: 'always', label: 'Always, everywhere', short: 'Remember: always' },
] as const;

export interface RememberMenuProps {
  readonly request: ApprovalRequest;
  readonly state: SheetState;
  readonly onChange: (state: SheetState) => void;
}

/** A standing yes, as the rule it becomes. High risk and flagged commands are asked every time whatever it says. */
export function RememberMenu({ request, state, onChange }: RememberMenuProps) {
  const { scope, prefix } = state.remember;
  const chosen = request.calls.filter(({ callId }) => state.selected.has(callId));
  const commands = chosen.flatMap((call) => commandOf(call) ?? []);
  const [first] = commands;
  const offers = chosen.flatMap((call) => ruleOf(call) ?? []);
  const suggestion = offers[0]?.prefix ?? null;
  const runs = [...new Set(offers.flatMap((offer) => offer.runs ?? []))].join(' ');
  const current = SCOPES.find(({ value }) => value === scope) ?? SCOPES[0];
  const problem = rememberProblem(request, state);
  const setScope = (value: unknown) => {
    const next = SCOPES.find((each) => each.value === value);
    if (next !== undefined) onChange({ ...state, remember: { ...state.remember, scope: next.value } });
  };

  return (
    <Popover.Root>
      <Popover.Trigger render={<Button icon={<ChevronUp aria-hidden />} />}>{current.short}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="gh-positioner" side="top" align="end" sideOffset={6}>
          <Popover.Popup className="gh-popup gh-remember" aria-label="Remember this approval">
            <RadioGroup value={scope} onValueChange={setScope} aria-label="For how long" className="gh-remember-scopes">
              {SCOPES.map(({ value, label }) => (
                // oxlint-disable-next-line jsx-a11y/label-has-associated-control
                <label key={value} className="gh-option gh-remember-scope">
                  <Radio.Root value={value} className="gh-radio">
                    <Radio.Indicator className="gh-radio-dot" />
                  </Radio.Root>
                  <span>{label}</span>
                </label>
              ))}
            </RadioGroup>
            {scope === 'once' || first === undefined ? null : (
              <div className="gh-remember-rule">
                <TextField
                  label="Commands that begin with (empty: exactly this command)"
                  mono
                  value={prefix ?? ''}
                  placeholder={suggestion ?? 'exactly this command'}
                  onChange={(event) =>
                    onChange({
                      ...state,
                      remember: { scope, prefix: event.target.value === '' ? null : event.target.value },
                    })
                  }
                  error={problem}
                />
              </div>
            )}
            {scope === 'once' ? null : (
              <p className="secondary gh-remember-about">
                <Visible
                  text={ruleWords(
                    chosen.map(({ tool }) => tool),
                    commands,
                    prefix,
                  )}
                />{' '}
                {chosen.some(({ callId }) => state.network.has(callId))
                  ? 'The network is allowed this once; what is remembered has none. '
                  : null}
                {commands.length === 0 ? null : 'It holds while commands are confined as your settings have it. '}
                {runs === '' ? null : <Visible text={`${runs} When that changes, it asks again. `} />}
                Settings lists what is remembered, and forgets it.
              </p>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function ruleWords(tools: readonly string[], commands: readonly string[], prefix: string | null): string {
  if (tools.length === 0) return 'Select what to remember.';
  if (commands.length > 0) {
    return prefix === null
      ? 'The selected commands run without asking when they are exactly the same.'
      : `Commands that begin with “${prefix.trim()}” run without asking; compound or flagged ones still ask.`;
  }
  return `${[...new Set(tools)].join(', ')} runs without asking.`;
}
