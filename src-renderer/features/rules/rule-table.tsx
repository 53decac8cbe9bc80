import type { RuleView } from '#contract/window/rules.js';
import { goTo } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { FOCUSABLE } from '../../ui/style/focusable.js';
import { counted } from '../../ui/text/format.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { Visible } from '../../ui/text/visible.js';
import { When } from '../../ui/text/when.js';
import { AFTER_TEXT, describeExpiry, describeExtent, describeFolder, describeOwner } from './rule-words.js';

export interface RuleTableProps {
  readonly rules: readonly RuleView[];
  readonly busy: boolean;
  readonly onRemove: (rule: RuleView) => void;
}

/** The live rules, a row each. Remarks against one are beside what it is for. */
export function RuleTable({ rules, busy, onRemove }: RuleTableProps) {
  return (
    <section className="gh-rules-scroll" aria-label="Rules that hold now" {...FOCUSABLE}>
      <table className="gh-rules" aria-label="Rules">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Who</th>
            <th scope="col">Where</th>
            <th scope="col">Until</th>
            <th scope="col">Used</th>
            <th scope="col">Last used</th>
            <th scope="col">
              <span className="sr-only">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <RuleRow key={rule.id} rule={rule} busy={busy} onRemove={() => onRemove(rule)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RuleRowProps {
  readonly rule: RuleView;
  readonly busy: boolean;
  readonly onRemove: () => void;
}

function RuleRow({ rule, busy, onRemove }: RuleRowProps) {
  const what = describeExtent(rule);
  const isWords = rule.command !== null || rule.prefix !== null;
  return (
    <tr data-rule={rule.id}>
      <th scope="row">
        {isWords ? (
          <>
            <code>
              <Visible text={what} />
            </code>
            <CopyButton text={rule.command ?? rule.prefix ?? ''} label="Copy command" iconOnly />
          </>
        ) : (
          <Visible text={what} />
        )}
        {rule.confinement === null || rule.confinement === 'confined' ? null : (
          <span className="secondary"> ({rule.confinement === 'network' ? 'with the network' : 'not sandboxed'})</span>
        )}
        {rule.readable.length === 0 ? null : (
          <p className="secondary">
            <Visible text={`May read ${rule.readable.join(', ')}`} />
          </p>
        )}
        {rule.foreign ? <p className="secondary">{AFTER_TEXT}</p> : null}
        {rule.remarks.map(({ never, words }) => (
          <p key={words} className={never ? 'gh-rule-never' : 'secondary'}>
            {never ? <strong>Has no effect. </strong> : null}
            <Visible text={words} />
          </p>
        ))}
      </th>
      <td>
        <Visible text={describeOwner(rule)} />
      </td>
      <td>
        <Visible text={describeFolder(rule)} />
      </td>
      <td>{describeExpiry(rule)}</td>
      <td>
        {rule.used === 0 ? (
          'Never'
        ) : (
          <Button size="small" tone="quiet" onClick={() => goTo('history', `rule:${rule.id}`)}>
            {counted(rule.used, 'call')}
            <span className="sr-only"> that {what} let run</span>
          </Button>
        )}
      </td>
      <td>{rule.lastUsed === null ? '–' : <When at={rule.lastUsed} />}</td>
      <td>
        <Button size="small" disabled={busy} onClick={onRemove}>
          Remove
          <span className="sr-only"> the rule {what}</span>
        </Button>
      </td>
    </tr>
  );
}
