import { Select } from '../../../ui/form/select.js';
import { TextField } from '../../../ui/form/text-field.js';
import type { ProgramReach } from './reach.js';

const NETWORK = [
  { value: 'none', label: 'No network' },
  { value: 'hosts', label: 'Only these hosts' },
  { value: 'any', label: 'Any host' },
] as const;
const FILES = [
  { value: 'none', label: 'No access to the open folder' },
  { value: 'read', label: 'Reads the open folder' },
  { value: 'write', label: 'Changes the open folder' },
] as const;

interface ReachFieldsProps {
  readonly of: string;
  readonly reach: ProgramReach;
  readonly problem?: string | undefined;
  readonly onChange: (reach: ProgramReach) => void;
}

/** The reach of a program on this computer. */
export function ReachFields({ of, reach, problem, onChange }: ReachFieldsProps) {
  return (
    <div className="gh-add-row">
      <Select
        label={`Network of ${of}`}
        options={NETWORK}
        value={reach.network}
        onChange={(network) => onChange({ ...reach, network })}
      />
      {reach.network === 'hosts' ? (
        <TextField
          label={`Hosts of ${of}`}
          labelHidden
          mono
          placeholder="api.example.com"
          value={reach.hosts}
          error={problem}
          onChange={(event) => onChange({ ...reach, hosts: event.target.value })}
        />
      ) : null}
      <Select
        label={`Files of ${of}`}
        options={FILES}
        value={reach.filesystem}
        onChange={(filesystem) => onChange({ ...reach, filesystem })}
      />
    </div>
  );
}
