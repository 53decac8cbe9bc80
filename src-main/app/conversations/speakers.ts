import { randomBytes } from 'node:crypto';
import type { Config } from '#contract/vocabulary/config.js';
import type { ConversationSummary, ModelChoice } from '#contract/vocabulary/conversation/conversation.js';
import { DemoModel } from '../../conversation/demo/demo-model.js';
import { fitHistory, isFitted } from '../../conversation/capacity/capacity.js';
import { readHistoryParts } from '../../conversation/history/history-parts.js';
import type { PreparedRequest, Speaker } from '../../conversation/loop/speaker.js';
import type { ConversationRecord } from '../../domain/ports/conversation/conversation-record.js';
import type { Model, ModelFailure, ModelRequest } from '../../domain/ports/conversation/model.js';
import type { AdvertisedTool, Gate } from '../../domain/ports/gate/gate.js';
import { systemText } from './system-text.js';

/** The model that answers by the settings of now, or by a conversation's own choice. */
export interface ModelInUse {
  readonly model: Model;
  readonly name: string;
  readonly provider: string;
  readonly settings: Config['model'];
}

export interface SpeakerParts {
  readonly record: ConversationRecord;
  readonly gate: Pick<Gate, 'listAdvertised'>;
  readonly models: { of(choice: ModelChoice | null): ModelInUse };
  /** The instruction files of a folder that the person accepted as they stand, each as text. */
  readonly instructions: (folder: string) => Promise<readonly string[]>;
  /** The configuration in force in a folder. */
  readonly config: (folder: string) => Config;
  /** The pause between two words of the demo; left out: long enough for a person to read along. */
  readonly demoPauseMs?: number;
}

/** Builds the speaker of a conversation from the settings of now. */
export function speakerFor(conversation: ConversationSummary, parts: SpeakerParts): Speaker {
  const speaking = conversation.demo ? demo(parts) : parts.models.of(conversation.model);
  return {
    model: speaking.model,
    name: speaking.name,
    mostRounds: parts.config(conversation.workspace).tools.max_tool_iterations_per_user_turn,
    prepare: async (mayCall) =>
      prepared(conversation, speaking, mayCall, await parts.instructions(conversation.workspace), parts),
  };
}

const DEMO_PAUSE_MS = 40;
const demo = ({ models, demoPauseMs = DEMO_PAUSE_MS }: SpeakerParts): ModelInUse => ({
  ...models.of(null),
  model: new DemoModel(demoPauseMs),
  name: 'Demo',
  provider: 'demo',
});

function prepared(
  { id, workspace }: ConversationSummary,
  { provider, settings }: ModelInUse,
  mayCall: boolean,
  instructions: readonly string[],
  { record, gate }: SpeakerParts,
): PreparedRequest | ModelFailure {
  const {
    context_tokens: contextTokens,
    reserve_tokens: reserveTokens,
    max_output_tokens: maxOutputTokens,
    system_prompt: added,
    temperature = null,
  } = settings;
  const system = systemText(workspace, added, instructions);
  const kept = readHistoryParts(record, id, randomByte);
  // What a conversation used stays listed.
  const used = new Set([...kept.results.values()].map(({ tool }) => tool));
  const tools = gate.listAdvertised(workspace, used).map(toolGiven);
  const fitted = fitHistory(
    kept,
    { system, tools },
    { contextTokens, reserveTokens, maxOutputTokens },
    { alternating: ALTERNATING.has(provider) },
  );
  if (!isFitted(fitted)) return fitted;
  const { history, folded, usedTokens, room } = fitted;
  // What is left out is told before it is sent.
  if (folded.length > 0) record.fold(id, folded);
  return {
    request: { system, history, tools, toolChoice: mayCall ? 'auto' : 'none', maxOutputTokens, temperature },
    context: { usedTokens, ofTokens: contextTokens },
    room,
  };
}

/** The providers whose protocol takes no two messages of one side in a row. */
const ALTERNATING: ReadonlySet<string> = new Set(['anthropic', 'google']);

const toolGiven = ({ name, description, inputSchema }: AdvertisedTool): ModelRequest['tools'][number] => ({
  name,
  description,
  inputSchema,
});

const randomByte = (): number => randomBytes(1)[0] ?? 0;
