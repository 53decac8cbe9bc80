import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../../ui/form/button.js';
import { Select } from '../../../ui/form/select.js';
import { TextField } from '../../../ui/form/text-field.js';
import type { GivenRow } from './form-values.js';

interface GivenFieldsProps {
  readonly label: string;
  readonly rows: readonly GivenRow[];
  /** The keys that are kept already, by name. */
  readonly kept: readonly string[];
  readonly problem: string | undefined;
  readonly onChange: (rows: readonly GivenRow[]) => void;
}

const WAYS = [
  { value: 'text', label: 'Plain text' },
  { value: 'key', label: 'New key' },
  { value: 'kept', label: 'Kept key' },
  { value: 'environment', label: 'From the environment' },
] as const;

/** Names and values that a source is given; keys go into the key store, and only their names into the settings. */
export function GivenFields({ label, rows, kept, problem, onChange }: GivenFieldsProps) {
  const change = (key: number, more: Partial<GivenRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...more } : row)));
  const keys = [
    ...new Set([...kept, ...rows.flatMap(({ as, value }) => (as === 'kept' && value !== '' ? [value] : []))]),
  ];
  const ways = keys.length === 0 ? WAYS.filter(({ value }) => value !== 'kept') : WAYS;
  return (
    <fieldset className="gh-add-given">
      <legend className="gh-label">{label}</legend>
      {rows.map((row, at) => (
        <div key={row.key} className="gh-add-row">
          <TextField
            label={`Name ${at + 1}`}
            labelHidden
            mono
            placeholder={label === 'Headers' ? 'Authorization' : 'API_TOKEN'}
            maxLength={200}
            value={row.name}
            onChange={(event) => change(row.key, { name: event.target.value })}
          />
          <Select
            label={`Kind of value ${at + 1}`}
            options={ways}
            value={row.as}
            onChange={(as) => change(row.key, { as, value: as === 'kept' ? (keys[0] ?? '') : '' })}
          />
          {row.as === 'kept' ? (
            <Select
              label={`Key ${at + 1}`}
              options={keys.map((value) => ({ value, label: value }))}
              value={row.value}
              onChange={(value) => change(row.key, { value })}
            />
          ) : (
            <TextField
              label={`Value ${at + 1}`}
              labelHidden
              mono={row.as !== 'key'}
              type={row.as === 'key' ? 'password' : 'text'}
              placeholder={row.as === 'environment' ? 'NAME_OF_VARIABLE' : ''}
              maxLength={8000}
              value={row.value}
              onChange={(event) => change(row.key, { value: event.target.value })}
            />
          )}
          <IconButton
            label={`Remove ${row.name === '' ? `line ${at + 1}` : row.name}`}
            size="small"
            onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
          >
            <X aria-hidden />
          </IconButton>
        </div>
      ))}
      <p className="gh-field-about" aria-live="polite">
        {problem === undefined ? null : <span className="gh-field-error">{problem}</span>}
      </p>
      <Button
        size="small"
        icon={<Plus aria-hidden />}
        onClick={() =>
          onChange([...rows, { key: Math.max(0, ...rows.map(({ key }) => key)) + 1, name: '', as: 'text', value: '' }])
        }
      >
        Add one
      </Button>
    </fieldset>
  );
}
