import { useState } from 'react';
import type { BridgeError } from '#contract/window/result.js';
import type { ToolPolicy } from '#contract/vocabulary/tools/tools.js';
import type { ToolView } from '#contract/window/tools/tools.js';
import { ask } from '../../bridge/use-request.js';
import { Button } from '../../ui/form/button.js';
import { Checkbox } from '../../ui/form/checkbox.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { Problem } from '../../ui/notice/problem.js';
import { Select } from '../../ui/form/select.js';
import { describeConsequence, isLoosening, POLICY_LABELS } from './policy-labels.js';

/** Offers the policies that would change something. */
const listOptions = ({ canAsk }: ToolView) =>
  (['allow', 'ask', 'deny'] as const)
    .filter((value) => value !== 'ask' || canAsk)
    .map((value) => ({ value, label: POLICY_LABELS[value].long }));

interface ToolPolicyControlProps {
  readonly tool: ToolView;
  readonly onChanged: () => void;
}

export function ToolPolicyControl({ tool, onChanged }: ToolPolicyControlProps) {
  const [wanted, setWanted] = useState<ToolPolicy | null>(null);
  const [error, setError] = useState<BridgeError | null>(null);

  const change = async (policy: ToolPolicy) => {
    setWanted(null);
    const answer = await ask('tools.setPolicy', { tool: tool.name, policy });
    setError(answer.ok ? null : answer.error);
    if (answer.ok) onChanged();
  };

  return (
    <div className="gh-tool-rule">
      <Select
        label={`Policy for ${tool.name}`}
        options={listOptions(tool)}
        value={tool.policy}
        onChange={(policy) => {
          if (policy === tool.policy) return;
          if (isLoosening(tool, policy)) setWanted(policy);
          else void change(policy);
        }}
      />
      <p className="secondary">{tool.policyReason}</p>
      {error === null ? null : <Problem title="The policy wasn’t changed" error={error} />}
      {wanted === null ? null : (
        <ConfirmLoosening
          tool={tool}
          wanted={wanted}
          onCancel={() => setWanted(null)}
          onConfirm={() => void change(wanted)}
        />
      )}
    </div>
  );
}

interface ConfirmLooseningProps {
  readonly tool: ToolView;
  readonly wanted: ToolPolicy;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}

function ConfirmLoosening({ tool, wanted, onCancel, onConfirm }: ConfirmLooseningProps) {
  const [meant, setMeant] = useState(false);
  return (
    <Dialog
      open
      title={wanted === 'allow' ? `Allow ${tool.name}?` : `Let agents request ${tool.name}?`}
      description={describeConsequence(tool, wanted)}
      onDismiss={onCancel}
      foot={
        <>
          <Button onClick={onCancel}>Cancel</Button>
          <Button tone="danger" disabled={!meant} onClick={onConfirm}>
            {wanted === 'allow' ? 'Allow' : 'Turn on'}
          </Button>
        </>
      }
    >
      <Checkbox checked={meant} onChange={setMeant}>
        {tool.name} can do things that can’t be undone
      </Checkbox>
    </Dialog>
  );
}
