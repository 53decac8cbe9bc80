import type { ConnectInfo } from '#contract/window/agents.js';
import { useRequest } from '../../../bridge/use-request.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { CodeBlock, Mono } from '../../../ui/text/code-block.js';
import { Select } from '../../../ui/form/select.js';
import type { MadeToken } from '../new-agent.js';
import { AGENTS, type AgentConfig, type Transport } from './snippets.js';

const OPTIONS = AGENTS.map(({ id, name }) => ({ value: id, label: name }));
const WAYS = [
  { value: 'stdio', label: 'stdio (recommended)' },
  { value: 'http', label: 'HTTP' },
] as const;

export interface AgentChoice {
  readonly id: string;
  readonly way: Transport;
}
export const FIRST_CHOICE: AgentChoice = { id: OPTIONS[0]?.value ?? 'plain', way: 'stdio' };

interface ConnectByHandProps {
  readonly choice: AgentChoice;
  readonly onChoose: (choice: AgentChoice) => void;
  /** An agent's token that was just made. */
  readonly made: MadeToken | null;
}

/** Setup for clients that Gatehouse doesn't know, and for HTTP: what to paste, and where. */
export function ConnectByHand({ choice, onChoose, made }: ConnectByHandProps) {
  const { value: info, error } = useRequest('gateway.connectInfo', {});
  const { id, way } = choice;
  const agent = AGENTS.find((each) => each.id === id);
  return (
    <section aria-label="Connect by hand" className="gh-connect-setup" id="connect-by-hand">
      <h2>Connect by hand</h2>
      {error === null ? null : (
        <NoticeBox severity="error" title="The configuration can’t be shown">
          {error.message}
        </NoticeBox>
      )}
      <div className="gh-connect-choices">
        <Select
          label="Client"
          labelShown
          options={OPTIONS}
          value={id}
          onChange={(next) => onChoose({ id: next, way })}
        />
        <Select
          label="Connection"
          labelShown
          options={WAYS}
          value={way}
          onChange={(next) => onChoose({ id, way: next })}
        />
      </div>
      {agent === undefined || info === null ? null : <Setup agent={agent} way={way} info={info} made={made} />}
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
    return <p className="secondary">{agent.name} can’t connect over HTTP with a token. Use stdio.</p>;
  if (way === 'http' && (url === null || token === null))
    return (
      <p className="secondary">
        Turn on “Serve MCP and HTTP” below. Its address and token are part of the configuration.
      </p>
    );
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
        <p className="secondary">Starts Gatehouse on this folder if it isn’t running.</p>
      ) : (
        <p className="secondary">
          {made === null
            ? 'This holds your own token, which sees every agent’s calls. “New agent…” makes one that sees only its own.'
            : `This holds the token of ${made.name}.`}
        </p>
      )}
    </>
  );
}
