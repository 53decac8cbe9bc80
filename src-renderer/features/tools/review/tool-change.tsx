import { useMemo, useState } from 'react';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { SourceToolChange } from '#contract/window/tools/sources.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { DiffView } from '../../../calls/diff/diff-view.js';
import { Checkbox } from '../../../ui/form/checkbox.js';
import { Fold } from '../../../ui/layout/fold.js';
import { CodeBlock, Mono } from '../../../ui/text/code-block.js';
import { Visible } from '../../../ui/text/visible.js';
import { findChangedFields } from './changed-fields.js';
import { type AskedArgument, summarizeDefinition, labelField } from './definition-summary.js';
import { findInstructionMarks, collectTexts } from './instruction-marks.js';
import { MarkedText } from './marked-text.js';

interface ToolChangeProps {
  readonly change: SourceToolChange;
  readonly otherNames: readonly string[];
  /** Whether it is open at first, among few others. */
  readonly few: boolean;
  readonly taken: boolean;
  /** Null where there is nothing to choose. */
  readonly onTaken: ((taken: boolean) => void) | null;
}

const CHANGE_WORDS = { new: 'New', changed: 'Changed', gone: 'No longer offered' } as const;

/** A tool to be accepted: its description and arguments, or the changes in them. */
export function ToolChange({ change, otherNames, few, taken, onTaken }: ToolChangeProps) {
  const { operation, name, version, accepted, offered } = change;
  const marked = useMemo(
    () => offered !== null && findInstructionMarks(collectTexts(offered), otherNames).length > 0,
    [offered, otherNames],
  );
  const [open, setOpen] = useState(few || marked);
  const shown = name ?? operation;
  return (
    <div className="gh-review-tool" data-change={change.change}>
      <div className="gh-review-tool-head">
        {onTaken === null || change.change === 'gone' ? null : (
          <Checkbox checked={taken} onChange={onTaken} ariaLabel={`Accept ${toVisibleText(shown)}`} />
        )}
        <Fold
          open={open}
          onOpenChange={setOpen}
          title={
            <>
              <Mono>
                <Visible text={shown} />
              </Mono>
              <span className={`gh-tool-state gh-tool-state-${change.change}`}>{CHANGE_WORDS[change.change]}</span>
              {version === '0.0.0' ? null : <span className="secondary">{version}</span>}
              {marked ? <span className="gh-tool-state gh-tool-state-refused">Read closely</span> : null}
            </>
          }
        >
          {offered === null ? (
            <p className="secondary">It can’t be called any more. Rules for it end.</p>
          ) : accepted === null ? (
            <NewTool offered={offered} otherNames={otherNames} />
          ) : (
            <Difference label={`What changed in ${shown}`} accepted={accepted} offered={offered} />
          )}
          {offered !== null && accepted !== null ? (
            <MarkedText text={summarizeDefinition(offered).description} otherNames={otherNames} />
          ) : null}
        </Fold>
      </div>
    </div>
  );
}

function Difference(props: { readonly label: string; readonly accepted: JsonObject; readonly offered: JsonObject }) {
  return (
    <DiffView
      noun="field"
      label={props.label}
      files={findChangedFields(props.accepted, props.offered).map(({ field, before, after }) => ({
        path: labelField(field),
        change: before === null ? 'created' : after === null ? 'deleted' : 'modified',
        before,
        after,
        note: null,
      }))}
    />
  );
}

function NewTool({ offered, otherNames }: { readonly offered: JsonObject; readonly otherNames: readonly string[] }) {
  const { description, does, wants, asks, says } = summarizeDefinition(offered);
  return (
    <div className="gh-review-new">
      {description === '' ? (
        <p className="secondary">It says nothing of what it does.</p>
      ) : (
        <MarkedText text={description} otherNames={otherNames} />
      )}
      {[...(does === null ? [] : [does]), ...wants].map((line) => (
        <p key={line} className="gh-source-start">
          <Visible text={line} />
        </p>
      ))}
      <AskedArguments asks={asks} otherNames={otherNames} />
      {says === null ? null : <p className="secondary">In its own words: {says}. Gatehouse doesn’t rely on that.</p>}
      <Fold title="Definition as it came">
        <CodeBlock label="Definition as it came" text={toVisibleText(JSON.stringify(offered, null, 2))} />
      </Fold>
    </div>
  );
}

interface AskedArgumentsProps {
  readonly asks: readonly AskedArgument[];
  readonly otherNames: readonly string[];
}

/** The arguments that it asks for, one by one. */
function AskedArguments({ asks, otherNames }: AskedArgumentsProps) {
  if (asks.length === 0) return <p className="secondary">It asks for no arguments.</p>;
  return (
    <dl className="gh-review-asks" aria-label="Asks for">
      {asks.map(({ name, type, optional, about }) => (
        <div key={name}>
          <dt>
            <Mono>
              <Visible text={name} />
            </Mono>{' '}
            <span className="secondary">
              {type}
              {optional ? ', optional' : ''}
            </span>
          </dt>
          <dd>{about === '' ? null : <MarkedText text={about} otherNames={otherNames} />}</dd>
        </div>
      ))}
    </dl>
  );
}
