import { useState } from 'react';
import { useAct } from '../../../bridge/use-act.js';
import { useRequest } from '../../../bridge/use-request.js';
import { Button } from '../../../ui/form/button.js';
import { RadioList } from '../../../ui/form/radio-list.js';
import { Select } from '../../../ui/form/select.js';
import { TextField } from '../../../ui/form/text-field.js';
import { Fold } from '../../../ui/layout/fold.js';
import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { toForm, hasOtherIdentity, applyEdits } from './edited-source.js';
import { MoreFields } from './more-fields.js';
import { EMPTY_FORM, type FormKind, type FormProblems, type FormValues, readForm } from './form-values.js';
import { GivenFields } from './given-fields.js';
import { ReachFields } from './reach-fields.js';
import { Refusal } from '../../../ui/notice/refusal.js';
import './add.css';

const KINDS = [
  { value: 'mcp-local', label: 'MCP server on this computer' },
  { value: 'mcp-remote', label: 'MCP server at an address' },
  { value: 'openapi', label: 'API with an OpenAPI document' },
  { value: 'langchain', label: 'LangChain runnable or tools' },
  { value: 'program', label: 'Program with a manifest' },
] as const;

const WHAT: Readonly<Record<FormKind, { readonly label: string; readonly example: string; readonly hint: string }>> = {
  'mcp-local': {
    label: 'Command',
    example: 'npx -y @modelcontextprotocol/server-memory',
    hint: 'As you would start it in a terminal. It runs in the sandbox.',
  },
  'mcp-remote': { label: 'Address', example: 'https://mcp.example.com/mcp', hint: 'Where it answers over HTTP.' },
  openapi: { label: 'Document', example: '/path/to/openapi.yaml', hint: 'A file or an address.' },
  langchain: {
    label: 'Address or file',
    example: 'https://example.com/chain',
    hint: 'A runnable, or a list of tools.',
  },
  program: { label: 'Manifest', example: '/path/to/manifest.yaml', hint: 'A file, or a folder of them.' },
};
const GIVEN: Readonly<Record<FormKind, string>> = {
  'mcp-local': 'Environment variables',
  'mcp-remote': 'Headers',
  openapi: 'Headers',
  langchain: 'Headers',
  program: 'Keys',
};
const APPROVAL = [
  { value: 'ask', label: 'Ask before each call, unless a rule covers it' },
  { value: 'annotations', label: 'Don’t ask before calls that only read, as it says itself' },
] as const;

interface SourceFormProps {
  readonly taken: readonly string[];
  /** An existing source, with its settings as they are; left out: a new one. */
  readonly editing?: { readonly name: string; readonly settings: SourceSettings };
  readonly onDone: (name: string) => void;
  readonly onCancel?: () => void;
}

/** A source by hand. What is wrong is told once somebody wants to save it, and from then on as they type. */
export function SourceForm({ taken, editing, onDone, onCancel }: SourceFormProps) {
  const [values, setValues] = useState<FormValues>(() =>
    editing === undefined ? EMPTY_FORM : toForm(editing.name, editing.settings),
  );
  const [told, setTold] = useState(false);
  const { value: settings } = useRequest('settings.get', {});
  const { act, acting, problem } = useAct();
  const reading = readForm(values, taken);
  const problems: FormProblems = told && !reading.ok ? reading.problems : {};
  const change = (more: Partial<FormValues>) => setValues((all) => ({ ...all, ...more }));
  const { label, example, hint } = WHAT[values.kind];
  const submit = () => {
    setTold(true);
    if (!reading.ok) return;
    const { name, settings: wanted, secrets } = reading.source;
    const saved =
      editing === undefined
        ? act('sources.add', { sources: [{ name, settings: wanted }], secrets: [...secrets] })
        : act('sources.edit', {
            name,
            was: editing.settings,
            settings: applyEdits(editing.settings, wanted),
            secrets: [...secrets],
          });
    void saved.then(({ ok }) => {
      if (ok) onDone(name);
    });
  };
  const becomesOther =
    editing !== undefined && reading.ok && hasOtherIdentity(editing.settings, reading.source.settings);
  return (
    <form
      className="gh-add-form"
      aria-label={editing === undefined ? 'Source by hand' : `Settings of ${editing.name}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Select
        label="Kind"
        labelShown
        options={KINDS}
        value={values.kind}
        onChange={(kind) => change({ kind, given: [] })}
      />
      {editing === undefined ? (
        <TextField
          label="Name"
          mono
          maxLength={32}
          value={values.name}
          hint="Stands before the names of its tools"
          error={problems.name}
          onChange={(event) => change({ name: event.target.value })}
        />
      ) : null}
      <TextField
        label={label}
        mono
        maxLength={8000}
        placeholder={example}
        value={values.what}
        hint={hint}
        error={problems.what}
        onChange={(event) => change({ what: event.target.value })}
      />
      {values.kind === 'openapi' ? (
        <TextField
          label="Sends to (optional)"
          mono
          placeholder="https://api.example.com"
          value={values.baseUrl}
          hint="Left empty, where the document says"
          error={problems.baseUrl}
          onChange={(event) => change({ baseUrl: event.target.value })}
        />
      ) : null}
      <GivenFields
        label={GIVEN[values.kind]}
        rows={values.given}
        kept={settings?.secrets.names ?? []}
        problem={problems.given}
        onChange={(given) => change({ given })}
      />
      {values.kind === 'mcp-local' ? (
        <>
          <span className="gh-label">What it may reach</span>
          <ReachFields of="it" reach={values.reach} problem={problems.reach} onChange={(reach) => change({ reach })} />
        </>
      ) : null}
      <RadioList
        label="Its calls"
        options={APPROVAL}
        value={values.approval}
        onChange={(approval) => change({ approval })}
      />
      <Fold title="More">
        <MoreFields values={values} problems={problems} onChange={change} />
      </Fold>
      {becomesOther ? (
        <NoticeBox severity="warning" title="This changes what you accepted">
          Its tools stop until you have reviewed and accepted it again, and rules for them end then.
        </NoticeBox>
      ) : null}
      <Refusal text={problem} />
      <div className="gh-add-foot">
        <span className="secondary">
          {editing === undefined ? 'Nothing of it can be called before you accept its tools.' : ''}
        </span>
        <span className="gh-add-buttons">
          {onCancel === undefined ? null : <Button onClick={onCancel}>Cancel</Button>}
          <Button tone="primary" type="submit" disabled={acting}>
            {editing === undefined ? 'Add source' : 'Save settings'}
          </Button>
        </span>
      </div>
    </form>
  );
}
