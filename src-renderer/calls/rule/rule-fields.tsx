import type { RuleOptions, RulePreview } from '#contract/window/approvals.js';
import type { RuleWanted } from '#contract/vocabulary/decisions.js';
import type { RequestAnswer } from '../../bridge/use-request.js';
import { RadioList } from '../../ui/form/radio-list.js';
import { Switch } from '../../ui/form/switch.js';
import { counted } from '../../ui/text/format.js';
import { Visible } from '../../ui/text/visible.js';
import './rule-fields.css';

/**
 * The owner that a rule can be for besides all: an agent by its token, the session that asks, or nobody who is still
 * there.
 */
export type RuleOwner =
  { readonly kind: 'agent'; readonly name: string } | { readonly kind: 'session' } | { readonly kind: 'nobody' };

export interface RuleFieldsProps {
  readonly tool: string;
  readonly possible: RuleOptions;
  readonly owner: RuleOwner;
  readonly wanted: RuleWanted;
  readonly onChange: (wanted: RuleWanted) => void;
}

/** A rule as it is made: what it is for, whom it lets in, where, and until when. */
export function RuleFields({ tool, possible, owner, wanted, onChange }: RuleFieldsProps) {
  const { command, prefix, runs, readable, afterText } = possible;
  const reads = wanted.readable ?? [];
  const isSession = owner.kind !== 'agent';
  const change = (part: Partial<RuleWanted>) => {
    const next = { ...wanted, ...part };
    // A session ends with the app at the latest, and its rule with it.
    onChange(isSession && next.who === 'asker' ? { ...next, until: 'quit' } : next);
  };
  return (
    <>
      <RadioList
        label="What"
        value={wanted.what}
        onChange={(what) => change({ what })}
        options={[
          {
            value: 'whole',
            label:
              command === null ? (
                <>Everything that {tool} is asked for</>
              ) : (
                <>
                  Only <code>{<Visible text={command} />}</code>
                </>
              ),
          },
          ...(prefix === null
            ? []
            : [
                {
                  value: 'first-words' as const,
                  label: (
                    <>
                      Commands starting with <code>{prefix}</code>
                    </>
                  ),
                },
              ]),
        ]}
      />
      <RadioList
        label="Who"
        value={wanted.who}
        onChange={(who) => change({ who })}
        options={[
          ...(owner.kind === 'nobody'
            ? []
            : [
                {
                  value: 'asker' as const,
                  label: owner.kind === 'session' ? 'This session' : <Visible text={owner.name} />,
                },
              ]),
          { value: 'all' as const, label: 'All agents' },
        ]}
      />
      <RadioList
        label="Where"
        value={wanted.where}
        onChange={(where) => change({ where })}
        options={[
          { value: 'here', label: 'This folder' },
          { value: 'everywhere', label: 'Any folder' },
        ]}
      />
      <RadioList
        label="Until"
        value={wanted.until}
        onChange={(until) => change({ until })}
        options={[
          { value: 'quit', label: 'Gatehouse quits' },
          {
            value: 'always',
            label: 'I remove it',
            ...(isSession && wanted.who === 'asker' ? { impossible: 'A rule for a session ends with it.' } : {}),
          },
        ]}
      />
      {readable.map((place) => (
        <Switch
          key={place}
          checked={reads.includes(place)}
          onChange={(on) => change({ readable: on ? [...reads, place] : reads.filter((each) => each !== place) })}
        >
          May read <Visible text={place} />
        </Switch>
      ))}
      {runs === null ? null : (
        <p className="secondary">
          <Visible text={`${runs} If that changes, you are asked again.`} />
        </p>
      )}
      {afterText === null ? null : (
        <p>
          <Visible text={afterText} />
        </p>
      )}
    </>
  );
}

/** The dry run: what the rule would have let through of what was asked before. */
export function RuleCoverage({ preview: { value, loading, error } }: { readonly preview: RequestAnswer<RulePreview> }) {
  return (
    <output className="secondary gh-rule-covered">
      {error !== null ? (
        <Visible text={error.message} />
      ) : loading || value === null ? (
        'Looking at history…'
      ) : value.covered === 0 ? (
        `Would have covered none of the last ${counted(value.looked, 'call')} of this tool.`
      ) : (
        <>
          Would have covered {value.covered} of the last {counted(value.looked, 'call')} of this tool:{' '}
          <Visible text={value.examples.join(' · ')} />
        </>
      )}
    </output>
  );
}
