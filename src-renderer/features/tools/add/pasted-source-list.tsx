import { useState } from 'react';
import type { PastedSource, PastedReading } from '#contract/window/tools/pasted-sources.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { useAct } from '../../../bridge/use-act.js';
import { Button } from '../../../ui/form/button.js';
import { Checkbox } from '../../../ui/form/checkbox.js';
import { TextField } from '../../../ui/form/text-field.js';
import { Mono } from '../../../ui/text/code-block.js';
import { counted } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import { describeStart } from '../describe-start.js';
import { NO_REACH, type ProgramReach, toReachSettings } from './reach.js';
import { ReachFields } from './reach-fields.js';
import { Refusal } from '../../../ui/notice/refusal.js';

interface PastedSourceListProps {
  readonly label: string;
  readonly read: PastedReading;
  readonly onAdded: (name: string) => void;
}

/**
 * The servers read from other settings: all that would be started, what it would be given, and what can’t be taken
 * over.
 */
export function PastedSourceList({ label, read, onAdded }: PastedSourceListProps) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [reaches, setReaches] = useState<ReadonlyMap<string, ProgramReach>>(new Map());
  const [keys, setKeys] = useState<ReadonlyMap<string, string>>(new Map());
  const [told, setTold] = useState(false);
  const { act, acting, problem } = useAct();
  const taken = read.sources.filter(({ name, settings }) => settings !== null && !left.has(name));
  const reachOf = (name: string) => reaches.get(name) ?? NO_REACH;
  const wrong = (name: string) => {
    const reach = toReachSettings(reachOf(name));
    return told && !reach.ok ? reach.problem : undefined;
  };
  const add = () => {
    setTold(true);
    const sources = taken.flatMap(({ name, settings }) => {
      const reach = toReachSettings(reachOf(name));
      return settings === null || !reach.ok ? [] : [{ name, settings: { ...settings, ...reach.settings } }];
    });
    if (sources.length < taken.length) return;
    const secrets = taken.flatMap((source) =>
      source.secrets.flatMap(({ secret }) => {
        const value = keys.get(secret) ?? '';
        return value === '' ? [] : [{ name: secret, value }];
      }),
    );
    void act('sources.addRead', { reading: read.reading, sources, secrets }).then(({ ok }) => {
      if (ok) onAdded(taken[0]?.name ?? '');
    });
  };
  return (
    <>
      <ul className="gh-offered" aria-label={label}>
        {read.sources.map((source) => (
          <li key={source.name} aria-label={source.name}>
            <PastedSourceItem
              source={source}
              taken={!left.has(source.name)}
              onTaken={(on) => setLeft(withOrWithout(left, source.name, !on))}
              reach={reachOf(source.name)}
              reachProblem={wrong(source.name)}
              onReach={(reach) => setReaches(new Map(reaches).set(source.name, reach))}
              keys={keys}
              onKey={(secret, value) => setKeys(new Map(keys).set(secret, value))}
            />
          </li>
        ))}
      </ul>
      {read.more === 0 ? null : (
        <p className="secondary">{counted(read.more, 'more server')} stand there. Add these first.</p>
      )}
      <Refusal text={problem} />
      <div className="gh-add-foot">
        <span className="secondary">Nothing of them can be called before you accept their tools.</span>
        <Button tone="primary" disabled={acting || taken.length === 0} onClick={add}>
          Add {counted(taken.length, 'source')}
        </Button>
      </div>
    </>
  );
}

function withOrWithout(all: ReadonlySet<string>, name: string, has: boolean): ReadonlySet<string> {
  const next = new Set(all);
  if (has) next.add(name);
  else next.delete(name);
  return next;
}

interface PastedSourceItemProps {
  readonly source: PastedSource;
  readonly taken: boolean;
  readonly onTaken: (taken: boolean) => void;
  readonly reach: ProgramReach;
  readonly reachProblem: string | undefined;
  readonly onReach: (reach: ProgramReach) => void;
  readonly keys: ReadonlyMap<string, string>;
  readonly onKey: (secret: string, value: string) => void;
}

function PastedSourceItem(props: PastedSourceItemProps) {
  const { source, taken, onTaken, reach, reachProblem, onReach, keys, onKey } = props;
  const { name, calledThere, settings, secrets, notes } = source;
  return (
    <div className="gh-offered-one">
      <div className="gh-offered-head">
        {settings === null ? (
          <strong>
            <Visible text={calledThere === '' ? name : calledThere} /> can’t be added
          </strong>
        ) : (
          <Checkbox checked={taken} onChange={onTaken}>
            <span className="mono">{name}</span>
            {calledThere === name ? null : (
              <span className="secondary">
                {' '}
                (there: <Visible text={calledThere} />)
              </span>
            )}
          </Checkbox>
        )}
      </div>
      {settings === null ? null : (
        <p className="gh-source-start">
          {settings.command === undefined ? 'Connects to ' : 'Starts '}
          <Mono>
            <Visible text={describeStart(settings)} />
          </Mono>
        </p>
      )}
      {settings === null ? null : <PlainValues source={source} />}
      {secrets.map(({ of, secret, shown }) =>
        shown === null ? (
          <TextField
            key={secret}
            label={`Key for ${toVisibleText(of)}`}
            type="password"
            maxLength={8000}
            value={keys.get(secret) ?? ''}
            hint="Kept in your system’s key store, for this server alone. It needs one to work."
            onChange={(event) => onKey(secret, event.target.value)}
          />
        ) : (
          <p key={secret} className="secondary">
            <Visible text={of} /> <Mono>{shown}</Mono> moves to the key store as <Mono>{secret}</Mono>.
          </p>
        ),
      )}
      {notes.map((note) => (
        <p key={note} className={settings === null ? 'gh-field-error' : 'secondary'}>
          <Visible text={note} />
        </p>
      ))}
      {settings?.command === undefined || !taken ? null : (
        <ReachFields of={name} reach={reach} problem={reachProblem} onChange={onReach} />
      )}
    </div>
  );
}

/** Values that it is given and that are no secret: shown, since they are what would run. */
function PlainValues({ source: { settings, secrets } }: { readonly source: PastedSource }) {
  const given = Object.entries({ ...settings?.env, ...settings?.headers }).filter(
    ([name]) => !secrets.some(({ of }) => of === name),
  );
  if (given.length === 0) return null;
  return (
    <p className="secondary">
      With{' '}
      {given.map(([name, value]) => (
        <span key={name} className="gh-offered-given">
          <Mono>
            <Visible text={`${name}=${value}`} />
          </Mono>{' '}
        </span>
      ))}
    </p>
  );
}
