import { describe, expect, it, onTestFinished } from 'vitest';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareSocketPath } from '../../platform/data-folder/socket-path.js';
import { openDoors } from '../doors.test-support.js';
import { BUILT_IN, call, end, never, startBridge } from './mcp-stdio.test-support.js';

describe('MCP on stdin and stdout, where no app runs, or one that can’t be spoken with', () => {
  it('answers the beginning of a session while the app starts, and tells what is otherwise once it is there', async () => {
    await using doors = await openDoors();
    await doors.stopServing();
    const started = Promise.withResolvers<void>();
    const bridge = startBridge(doors.dataDir, null, () => {
      started.resolve();
      return never();
    });
    const answer = await bridge.introduce();
    expect(answer.result).toMatchObject({ protocolVersion: '2025-11-25', instructions: BUILT_IN.instructions });
    expect((await bridge.ask(0, 'ping')).result).toEqual({});
    expect((await bridge.ask(1, 'tools/list')).result?.['tools']).toEqual(BUILT_IN.tools);
    expect((await bridge.ask(2, 'prompts/list')).result).toEqual({ prompts: [] });
    bridge.send({ id: 3, method: 'tools/call', params: call('read_file', { path: 'hello.txt' }) });
    await started.promise;
    expect(bridge.received.map(({ id }) => id)).not.toContain(3);
    await doors.startServing();
    expect((await bridge.reply(({ id }) => id === 3)).result?.content?.[0]?.text).toBe('hello\n');
    await bridge.reply(({ method }) => method === 'notifications/tools/list_changed');
    expect((await bridge.ask(4, 'tools/list')).result?.['tools']).toHaveLength(3);
    await end(bridge);

    // The next one has that list at once, with the app away, and nothing is otherwise when it is there.
    await doors.stopServing();
    const next = startBridge(doors.dataDir);
    await next.introduce();
    expect((await next.ask(1, 'tools/list')).result?.['tools']).toHaveLength(3);
    await doors.startServing();
    expect((await next.ask(2, 'tools/call', call('read_file', { path: 'hello.txt' }))).result?.isError).toBeUndefined();
    await next.ask(3, 'tools/list');
    expect(next.received.filter(({ method }) => method === 'notifications/tools/list_changed')).toEqual([]);
    await end(next);
  });

  it('starts the app where it may, and keeps what the client said meanwhile', async () => {
    await using doors = await openDoors();
    await doors.stopServing();
    const started: string[] = [];
    const bridge = startBridge(doors.dataDir, '/some/workspace', () => {
      started.push('app');
      void doors.startServing();
      return never();
    });
    await bridge.introduce();
    expect(
      (await bridge.ask(1, 'tools/call', call('read_file', { path: 'hello.txt' }))).result?.isError,
    ).toBeUndefined();
    expect(started).toEqual(['app']);
    await end(bridge);
  });

  it('starts it again where the app that was there was only closing', async () => {
    await using doors = await openDoors();
    await doors.stopServing();
    const started: string[] = [];
    const bridge = startBridge(
      doors.dataDir,
      '/some/workspace',
      () => {
        started.push('app');
        if (started.length === 2) void doors.startServing();
        return never();
      },
      null,
      () => (started.length === 1 ? Promise.resolve() : never()),
    );
    await bridge.introduce();
    expect(
      (await bridge.ask(1, 'tools/call', call('read_file', { path: 'hello.txt' }))).result?.isError,
    ).toBeUndefined();
    expect(started).toEqual(['app', 'app']);
    await end(bridge);
  });

  it('says so when an app is there and says nothing, or is of another version, and starts none beside it', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-silent-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const said: string[] = [];
    const stranger = createServer((socket) => {
      socket.on('error', () => undefined);
      if (said.length === 0) socket.destroy();
      else socket.end(said.join(''));
    });
    await new Promise<void>((resolve) => stranger.listen(prepareSocketPath(dataDir), resolve));
    onTestFinished(() => void stranger.close());
    const another = (): Promise<string> => Promise.reject(new Error('It started another.'));
    const quiet = startBridge(dataDir, '/some/workspace', another, null, never, 300);
    expect(await quiet.exit).toBe(1);
    expect(quiet.complaints).toEqual([expect.stringContaining('does not answer')]);

    said.push('{"kind":"gatehouse-pipe-9","ok":false,"problem":"it is newer"}\n');
    const newer = startBridge(dataDir, '/some/workspace', another);
    expect(await newer.exit).toBe(1);
    expect(newer.complaints).toEqual(['gatehouse: it is newer']);
  });

  it('tells a command of another version why it is not let in', async () => {
    await using doors = await openDoors();
    const socket = connect(prepareSocketPath(doors.dataDir));
    socket.write('{"kind":"gatehouse-pipe-1","agent":null}\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(JSON.parse(answer.toString('utf8'))).toMatchObject({
      ok: false,
      problem: expect.stringContaining('another version') as string,
    });
    socket.destroy();
  });

  it('says why when the app can not be started', async () => {
    await using doors = await openDoors();
    await doors.stopServing();
    const bridge = startBridge(doors.dataDir, '/some/workspace', () => Promise.resolve('it ended with exit code 2'));
    expect(await bridge.exit).toBe(1);
    expect(bridge.complaints.join()).toContain('exit code 2');
    expect(bridge.received).toEqual([]);
  });
});
