import { useCallback, useEffect, useRef, useState } from 'react';
import type { ChannelName, RequestOf, ResponseOf } from '../../src-preload/contract/channels.js';
import type { BridgeError, BridgeResult } from '../../src-preload/contract/result.js';
import { client } from './client.js';

/** Asks main; a border that breaks becomes an error like any other. */
export async function ask<Name extends ChannelName>(
  name: Name,
  request: RequestOf<Name>,
): Promise<BridgeResult<ResponseOf<Name>>> {
  try {
    return await client[name](request);
  } catch (error) {
    return {
      ok: false,
      error: { code: 'internal', message: error instanceof Error ? error.message : 'The app did not answer.' },
    };
  }
}

export interface Answer<T> {
  /** The latest answer; it stays while a newer one is asked for, so that nothing flickers. */
  readonly value: T | null;
  readonly error: BridgeError | null;
  readonly loading: boolean;
  readonly reload: () => void;
  /** Takes a newer value that came as the answer to something else. */
  readonly set: (value: T) => void;
}

/** Asks when it appears and whenever the request changes; answers that come late are dropped. */
export function useRequest<Name extends ChannelName>(
  name: Name,
  request: RequestOf<Name> | null,
): Answer<ResponseOf<Name>> {
  const key = request === null ? null : JSON.stringify(request);
  const [turn, setTurn] = useState(0);
  const [value, setValue] = useState<ResponseOf<Name> | null>(null);
  const [error, setError] = useState<BridgeError | null>(null);
  const [loading, setLoading] = useState(key !== null);
  const latest = useRef(request);
  latest.current = request;

  useEffect(() => {
    const current = latest.current;
    if (current === null) return;
    let stale = false;
    setLoading(true);
    void ask(name, current).then((answer) => {
      if (stale) return;
      setLoading(false);
      if (answer.ok) {
        setValue(answer.value);
        setError(null);
      } else {
        setError(answer.error);
      }
    });
    return () => {
      stale = true;
    };
  }, [name, key, turn]);

  const reload = useCallback(() => setTurn((n) => n + 1), []);
  const set = useCallback((next: ResponseOf<Name>) => {
    setValue(next);
    setError(null);
  }, []);
  return { value, error, loading, reload, set };
}
