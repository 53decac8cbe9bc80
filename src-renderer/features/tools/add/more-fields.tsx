import { RadioList } from '../../../ui/form/radio-list.js';
import { TextField } from '../../../ui/form/text-field.js';
import type { FormProblems, FormValues } from './form-values.js';

const DEFINITIONS = [
  { value: 'ask', label: 'You accept new tools' },
  { value: 'first', label: 'Tools that are seen first are accepted' },
] as const;
const START = [
  { value: 'on-demand', label: 'Started when it is needed' },
  { value: 'with-app', label: 'Started with Gatehouse' },
] as const;

interface MoreFieldsProps {
  readonly values: FormValues;
  readonly problems: FormProblems;
  readonly onChange: (change: Partial<FormValues>) => void;
}

/** Settings that are seldom changed. */
export function MoreFields({ values, problems, onChange }: MoreFieldsProps) {
  const { kind } = values;
  return (
    <div className="gh-add-more">
      {kind === 'mcp-local' ? (
        <TextField
          label="Start in (optional)"
          mono
          value={values.folder}
          hint="Left empty, in a temporary folder of its own"
          onChange={(event) => onChange({ folder: event.target.value })}
        />
      ) : null}
      <TextField
        label="Time limit of a call, in seconds (optional)"
        inputMode="decimal"
        value={values.seconds}
        hint="Left empty, 60 s"
        error={problems.seconds}
        onChange={(event) => onChange({ seconds: event.target.value })}
      />
      <TextField
        label="Only these operations (optional)"
        mono
        maxLength={8000}
        value={values.include}
        hint="Their names, with * for anything. Left empty, all of them"
        onChange={(event) => onChange({ include: event.target.value })}
      />
      <TextField
        label="Not these operations (optional)"
        mono
        maxLength={8000}
        value={values.exclude}
        hint="Their names, with * for anything"
        onChange={(event) => onChange({ exclude: event.target.value })}
      />
      <RadioList
        label="New tools"
        options={DEFINITIONS}
        value={values.definitions}
        onChange={(definitions) => onChange({ definitions })}
      />
      {kind === 'mcp-local' || kind === 'mcp-remote' ? (
        <RadioList
          label="When it starts"
          options={START}
          value={values.start}
          onChange={(start) => onChange({ start })}
        />
      ) : null}
    </div>
  );
}
