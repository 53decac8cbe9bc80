import Type from 'typebox';
import { DOORS } from '../vocabulary/calls.js';
import { ASKING_PRESETS, type AskingPreset } from '../vocabulary/conversation/asking-preset.js';
import { byHand, channel, closed, id, nothing, path } from './channel.js';

/** An agent that has, or had, a token of its own. */
export interface AgentView {
  readonly name: string;
  /** Unix ms. */
  readonly made: number;
  readonly revoked: boolean;
  /** How it is asked, where that is not as for all; `own` where its settings are none of the three. */
  readonly asking: AskingPreset | 'own' | null;
}

/** An agent and client that asked for calls before, under one of its names. */
export interface SeenAgent {
  /** The agent, by its token or its pipe's name; null where it had neither. */
  readonly agent: string | null;
  /** The name that the program gave itself, with its version. */
  readonly client: string | null;
  /** Where, when and for what it asked last. */
  readonly folder: string;
  readonly at: number;
  readonly callId: string;
  readonly tool: string;
  readonly summary: string;
}

/** A new agent's token: it is shown when it is made, and never again. */
export interface CreatedAgent {
  readonly token: string;
}

/** The facts that the Connect page needs to write configuration for an agent. */
export interface ConnectInfo {
  /** The program and arguments of `--mcp-stdio`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly url: string | null;
  readonly token: string | null;
}

export interface GatewayTest {
  readonly ok: boolean;
  /** The answer, or what went wrong and what to do. */
  readonly text: string;
}

const whoAsks = Type.Object(
  {
    door: Type.Enum([...DOORS]),
    client: Type.Union([Type.String({ maxLength: 4000 }), Type.Null()]),
    agent: Type.Union([Type.String({ maxLength: 32 }), Type.Null()]),
  },
  closed,
);

/** The channels about who asks for calls, and where they come in. */
export const AGENT_CHANNELS = {
  'agents.list': channel<readonly AgentView[]>()(nothing),
  /** Lists who asked for calls before, the newest first. */
  'agents.seen': channel<readonly SeenAgent[]>()(nothing),
  'agents.create': byHand<CreatedAgent>()(Type.Object({ name: Type.String({ maxLength: 200 }) }, closed)),
  /** Pauses an agent: its calls wait until it is resumed; what runs goes on. */
  'agents.pause': byHand<null>()(whoAsks),
  'agents.resume': byHand<null>()(whoAsks),
  /** How one agent is asked, by the name of its token; null: as all are. */
  'agents.setAsking': byHand<null>()(
    Type.Object({ name: id, asking: Type.Union([Type.Enum([...ASKING_PRESETS]), Type.Null()]) }, closed),
  ),
  /** The folders that one agent may work in; null: every open one. */
  'agents.setFolders': byHand<null>()(
    Type.Object(
      { name: id, folders: Type.Union([Type.Array(path, { minItems: 1, maxItems: 100 }), Type.Null()]) },
      closed,
    ),
  ),
  'agents.revoke': byHand<null>()(Type.Object({ name: id }, closed)),
  'gateway.setEnabled': byHand<null>()(Type.Object({ enabled: Type.Boolean() }, closed)),
  'gateway.rotateToken': byHand<null>()(nothing),
  'gateway.disconnect': channel<null>()(Type.Object({ sessionId: id }, closed)),
  'gateway.connectInfo': channel<ConnectInfo>()(nothing),
  /** Asks the gateway for its status, as a client would. */
  'gateway.test': channel<GatewayTest>()(nothing),
} as const;
