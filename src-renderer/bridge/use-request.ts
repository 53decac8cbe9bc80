import { useCallback, useEffect, useState } from 'react';
import type { ChannelName, RequestOf, ResponseOf } from '#contract/window/channels.js';
import type { BridgeError, BridgeResult } from '#contract/window/result.js';
import { answers, client } from './client.js';

/** Asks main; a border that breaks becomes an error like any other. */
export async function ask<Name extends ChannelName>(
  name: Name,
  request: RequestOf<Name>,
): Promise<BridgeResult<ResponseOf<Name>>> {
  try {
    return await answers.heard((id) => client[name](request, id));
  } catch (error) {
    return {
      ok: false,
      error: { code: 'internal', message: error instanceof Error ? error.message : 'The app did not answer.' },
    };
  }
}

export interface RequestAnswer<T> {
  /** The latest answer; it stays while a newer one is asked for, so that nothing flickers. */
  readonly value: T | null;
  readonly error: BridgeError | null;
  readonly loading: boolean;
  readonly reload: () => void;
  /** Takes a newer value that came as the answer to something else. */
  readonly set: (value: T) => void;
}

interface RequestState<T> {
  /** The key of the request that this is the answer to. */
  readonly asking: string | null;
  readonly value: T | null;
  readonly error: BridgeError | null;
}

/** Asks when it appears and whenever the request changes; answers that come late are dropped. */
export function useRequest<Name extends ChannelName>(
  name: Name,
  request: RequestOf<Name> | null,
): RequestAnswer<ResponseOf<Name>> {
  const [turn, setTurn] = useState(0);
  const asking = request === null ? null : `${turn}:${JSON.stringify(request)}`;
  const [state, setState] = useState<RequestState<ResponseOf<Name>>>({ asking: null, value: null, error: null });

  useEffect(() => {
    if (asking === null) return undefined;
    let stale = false;
    void ask(name, JSON.parse(asking.slice(asking.indexOf(':') + 1)) as RequestOf<Name>).then((answer) => {
      if (stale) return;
      setState((before) => ({
        asking,
        value: answer.ok ? answer.value : before.value,
        error: answer.ok ? null : answer.error,
      }));
    });
    return () => {
      stale = true;
    };
  }, [name, asking]);

  const reload = useCallback(() => setTurn((n) => n + 1), []);
  const set = useCallback((value: ResponseOf<Name>) => {
    setState((before) => ({ ...before, value, error: null }));
  }, []);
  return { value: state.value, error: state.error, loading: asking !== null && state.asking !== asking, reload, set };
}
