import type { ConnectInfo } from '#contract/window/channels.js';
import { CodeBlock, Mono } from '../../ui/text/code-block.js';
import { Select } from '../../ui/form/select.js';
import type { MadeToken } from './agent-tokens.js';
import { AGENTS, type AgentConfig, type Transport } from './client-configs.js';

const OPTIONS = AGENTS.map(({ id, name }) => ({ value: id, label: name }));
const WAYS = [
  { value: 'stdio', label: 'By a command' },
  { value: 'http', label: 'Over HTTP' },
] as const;

export interface AgentChoice {
  readonly id: string;
  readonly way: Transport;
}
export const FIRST_CHOICE: AgentChoice = { id: OPTIONS[0]?.value ?? 'plain', way: 'stdio' };

export interface Chosen {
  readonly choice: AgentChoice;
  readonly onChoose: (choice: AgentChoice) => void;
  /** An agent's token that was just made. */
  readonly made: MadeToken | null;
}

export function AgentSetup({ info, choice, onChoose, made }: Chosen & { readonly info: ConnectInfo }) {
  const { id, way } = choice;
  const agent = AGENTS.find((each) => each.id === id);
  return (
    <section aria-label="Connect an agent" className="gh-connect-setup">
      <h3>Connect an agent</h3>
      <div className="gh-connect-choices">
        <Select
          label="Agent"
          labelShown
          options={OPTIONS}
          value={id}
          onChange={(next) => onChoose({ id: next, way })}
        />
        <Select label="Way" labelShown options={WAYS} value={way} onChange={(next) => onChoose({ id, way: next })} />
      </div>
      {agent === undefined ? null : <Setup agent={agent} way={way} info={info} made={made} />}
    </section>
  );
}

function Setup({
  agent,
  way,
  info,
  made,
}: {
  readonly agent: AgentConfig;
  readonly way: Transport;
  readonly info: ConnectInfo;
  readonly made: MadeToken | null;
}) {
  const { url } = info;
  const token = made?.token ?? info.token;
  if (way === 'http' && agent.http === null)
    return <p className="secondary">{agent.name} can’t connect over HTTP with a token. Use the command.</p>;
  if (way === 'http' && (url === null || token === null))
    return <p className="secondary">Switch the gateway on first: its address and token are part of this.</p>;
  const snippet =
    way === 'http' && agent.http !== null && url !== null && token !== null
      ? agent.http({ url, token })
      : agent.stdio({ ...info, args: [...info.args, '--agent', made?.name ?? agent.id] });
  return (
    <>
      <p className="secondary">
        <Mono>{snippet.where}</Mono>
      </p>
      <CodeBlock text={snippet.text} label={`Configuration for ${agent.name}`} wrap={false} />
      {snippet.note === null ? null : <p>{snippet.note}</p>}
      <p className="secondary">{agent.patience}</p>
      {way === 'stdio' ? (
        <p className="secondary">
          It starts Gatehouse when it isn’t running, if the command names a workspace; Gatehouse then stays open.
        </p>
      ) : (
        <p className="secondary">
          {made === null
            ? 'This holds your own token, which sees every agent’s calls. Make an agent below to have one that sees only its own.'
            : `This holds the token of ${made.name}.`}{' '}
          Whoever has it may ask for calls as long as Gatehouse serves.
        </p>
      )}
    </>
  );
}
