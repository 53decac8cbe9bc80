import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { AGENT_NAME, type AgentHolder, type Agents, type AgentStatus } from '../../domain/ports/agents.js';
import { Listeners } from '../../platform/listeners.js';
import { keptJson } from '../../platform/files/kept-json.js';

const CLOSED = { additionalProperties: false } as const;
const AgentsFile = Type.Object(
  {
    agents: Type.Array(
      Type.Object(
        {
          name: Type.String({ pattern: AGENT_NAME.source }),
          /** SHA-256 of the token, in hex; null once it was revoked. */
          token: Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()]),
          made: Type.Integer({ minimum: 0 }),
          /** The number of this holder among those that had the name; left out, the first. */
          life: Type.Optional(Type.Integer({ minimum: 2 })),
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
);
type StoredAgent = Static<typeof AgentsFile>['agents'][number];

export interface RegisteredAgent {
  readonly name: string;
  readonly made: number;
  readonly revoked: boolean;
}

export type NewToken = { readonly ok: true; readonly token: string } | { readonly ok: false; readonly problem: string };

const MAX_AGENTS = 200;

/**
 * The agents that the person gave a token to. Only hashes are kept: a token is 256 random bits, so that its hash can't
 * be guessed back, and whoever reads the file has nothing to come in with. A revoked name stays on it, so that no pipe
 * takes it up.
 */
export class AgentRegister implements Agents {
  readonly #path: string;
  readonly #file;
  readonly #now: () => number;
  readonly #listeners = new Listeners();
  #agents: readonly StoredAgent[];
  /** Whether the file is there and can't be understood: nobody is let in by it, and it is not written over. */
  readonly damaged: boolean;

  constructor(file: string, now: () => number) {
    this.#path = file;
    this.#file = keptJson(file, AgentsFile);
    this.#now = now;
    this.damaged = this.#file.broken;
    this.#agents = this.#file.read()?.agents ?? [];
  }

  /** Called after a token was made or revoked. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  list(): readonly RegisteredAgent[] {
    return this.#agents.map(({ name, token, made }) => ({ name, made, revoked: token === null }));
  }

  /** Creates an agent and gives its token, this once: it can't be shown again. */
  create(name: string): NewToken {
    if (!AGENT_NAME.test(name))
      return { ok: false, problem: 'A name is made of a–z, 0–9 and “-”, and is at most 32 characters long.' };
    if (this.damaged)
      return { ok: false, problem: `${this.#path} can’t be read. Move it away, then restart Gatehouse.` };
    if (this.getStatus(name) === 'known')
      return {
        ok: false,
        problem: `There is an agent ${name} already. Revoke its token first, or choose another name.`,
      };
    if (this.#agents.length >= MAX_AGENTS)
      return { ok: false, problem: `There may be ${MAX_AGENTS} agents, revoked ones too.` };
    const token = `gatehouse_${randomBytes(32).toString('base64url')}`;
    const before = this.#agents.find((each) => each.name === name);
    const agent = {
      name,
      token: sha256(token).toString('hex'),
      made: this.#now(),
      ...(before === undefined ? {} : { life: (before.life ?? 1) + 1 }),
    };
    const agents = [...this.#agents.filter((each) => each.name !== name), agent];
    const problem = this.#write(agents);
    if (problem !== null) return { ok: false, problem };
    this.#agents = agents;
    this.#listeners.tell();
    return { ok: true, token };
  }

  /**
   * Revokes a token. Null when it is revoked for good, or why not. From now on it is, in any case: no full disk keeps a
   * token alive.
   */
  revoke(name: string): string | null {
    if (this.getStatus(name) !== 'known') return `There is no agent ${name} with a token.`;
    this.#agents = this.#agents.map((each) => (each.name === name ? { ...each, token: null } : each));
    const problem = this.#write(this.#agents);
    this.#listeners.tell();
    return problem === null ? null : `${problem} Until it can be, the token is good again after a restart.`;
  }

  findByToken(token: string): string | null {
    const given = sha256(token);
    let found: string | null = null;
    // Compare all of them, so that the time says nothing of which came close.
    for (const { name, token: kept } of this.#agents)
      if (kept !== null && timingSafeEqual(given, Buffer.from(kept, 'hex'))) found = name;
    return found;
  }

  getStatus(name: string): AgentStatus {
    const found = this.#agents.find((each) => each.name === name);
    if (found === undefined) return 'unknown';
    return found.token === null ? 'revoked' : 'known';
  }

  getHolder(name: string): AgentHolder {
    const { life = 1, made = 0 } = this.#agents.find((each) => each.name === name) ?? {};
    // No name has this sign in it.
    return life === 1 ? { id: name, since: 0 } : { id: `${name}#${life}`, since: made };
  }

  #write(agents: readonly StoredAgent[]): string | null {
    try {
      this.#file.write({ agents });
      return null;
    } catch (error) {
      return `${this.#path} could not be written: ${error instanceof Error ? error.message : String(error)}.`;
    }
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
