import type { ComposedDoors, DoorsParts } from './doors.js';

/**
 * The doors, loaded when something is to be served: the protocol's library is the largest part of the app, and a window
 * without a gateway must not wait for it.
 */
export function doorsWhenWanted(parts: DoorsParts): ComposedDoors {
  let loaded: ComposedDoors | null = null;
  let loading: Promise<ComposedDoors> | null = null;
  const load = (): Promise<ComposedDoors> =>
    (loading ??= import('./doors.js').then(({ composeDoors }) => (loaded = composeDoors(parts))));
  const wanted = (): boolean => loading !== null || parts.forced || parts.config().gateway.enabled;

  return {
    start: async () => {
      if (wanted()) await (await load()).start();
    },
    configChanged: async () => {
      if (wanted()) await (await load()).configChanged();
    },
    setEnabled: async (enabled) => (await load()).setEnabled(enabled),
    rotateToken: () => void load().then((doors) => doors.rotateToken()),
    disconnectAgent: (agent) => loaded?.disconnectAgent(agent),
    connectPipe: async (stream, agent, place) => (await load()).connectPipe(stream, agent, place),
    pipeRefused: async (agent) => (await load()).pipeRefused(agent),
    disconnect: (sessionId) => loaded?.disconnect(sessionId) ?? false,
    connectInfo: () => loaded?.connectInfo() ?? parts.launcher(),
    test: async () => (await load()).test(),
    close: async () => {
      if (loading !== null) await (await loading).close();
    },
  };
}
