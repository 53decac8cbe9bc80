import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { parseJson } from '#contract/vocabulary/text/json-text.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { SettingView } from '#contract/window/settings.js';
import { Button } from '../../ui/form/button.js';
import { TextArea, TextField } from '../../ui/form/text-field.js';
import { Refusal } from '../../ui/notice/refusal.js';

/** A tool of the person's own, as it is typed. */
interface DefinitionDraft {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly parameters: string;
}

interface DefinitionsSettingProps {
  readonly setting: SettingView;
  readonly problem: string | null;
  readonly onSave: (value: Json) => void;
}

const readText = (value: unknown): string => (typeof value === 'string' ? value : '');

let drafts = 0;
function toDraft(definition: {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly parameters?: unknown;
}) {
  drafts += 1;
  return {
    id: drafts,
    name: readText(definition.name),
    description: readText(definition.description),
    parameters: JSON.stringify(definition.parameters ?? {}, null, 2),
  };
}

/** Tools that run nowhere: agents may call them in parse-only mode, and the person gives the results. */
export function DefinitionsSetting({ setting, problem, onSave }: DefinitionsSettingProps) {
  const [first] = useState<readonly DefinitionDraft[]>(() =>
    (Array.isArray(setting.value) ? setting.value : []).map((each) => toDraft(each as Record<string, unknown>)),
  );
  const [tools, setTools] = useState(first);
  const change = (id: number, next: Partial<DefinitionDraft>) =>
    setTools((all) => all.map((each) => (each.id === id ? { ...each, ...next } : each)));
  const problems = tools.map(findSchemaProblem);
  const isWhole = problems.every((each) => each === null) && tools.every(({ name }) => name.trim() !== '');
  const save = () =>
    onSave(
      tools.map(({ name, description, parameters }) => {
        const parsed = parseJson(parameters);
        return { name: name.trim(), description, parameters: parsed.ok ? parsed.value : {} };
      }),
    );
  return (
    <div className="gh-setting-control gh-setting-control-wide">
      {tools.map((tool, at) => (
        <fieldset key={tool.id} className="gh-setting-entry">
          <legend className="sr-only">Tool {at + 1}</legend>
          <TextField
            label="Name"
            value={tool.name}
            onChange={(event) => change(tool.id, { name: event.target.value })}
          />
          <TextField
            label="Description"
            value={tool.description}
            onChange={(event) => change(tool.id, { description: event.target.value })}
          />
          <TextArea
            label="Parameters"
            mono
            rows={4}
            hint="A JSON Schema of its arguments"
            value={tool.parameters}
            error={problems[at]}
            onChange={(event) => change(tool.id, { parameters: event.target.value })}
          />
          <Button
            size="small"
            icon={<Trash2 aria-hidden />}
            onClick={() => setTools((all) => all.filter(({ id }) => id !== tool.id))}
          >
            Remove<span className="sr-only"> tool {at + 1}</span>
          </Button>
        </fieldset>
      ))}
      <Refusal text={problem} />
      <div className="gh-setting-buttons">
        <Button size="small" icon={<Plus aria-hidden />} onClick={() => setTools((all) => [...all, toDraft({})])}>
          Add a tool
        </Button>
        {tools === first ? null : (
          <>
            <Button size="small" onClick={() => setTools(first)}>
              Discard
            </Button>
            <Button size="small" tone="primary" disabled={!isWhole} onClick={save}>
              Save
            </Button>
          </>
        )}
      </div>
    </div>
  );
}

function findSchemaProblem({ parameters }: DefinitionDraft): string | null {
  const parsed = parseJson(parameters);
  if (!parsed.ok) return `This isn’t valid JSON. ${parsed.message}`;
  const isObject = typeof parsed.value === 'object' && parsed.value !== null && !Array.isArray(parsed.value);
  return isObject ? null : 'Enter an object in { and }.';
}
