import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openTestJournal, testFolder } from '../writing/journal.test-support.js';
import { batchReceived, callReceived, settled, started } from '../writing/journal-samples.test-support.js';
import { OtlpSwitch } from './otlp-switch.js';
import { startOtlpMetrics } from './otlp-metrics.js';

interface Sent {
  readonly path: string;
  readonly body: {
    readonly resourceMetrics: readonly {
      readonly resource: { readonly attributes: readonly unknown[] };
      readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
    }[];
  };
}

/** A collector: keeps what it is sent. */
async function collector(): Promise<{ readonly url: string; readonly sent: Sent[] }> {
  const sent: Sent[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      sent.push({ path: request.url ?? '', body: JSON.parse(body) as Sent['body'] });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
}

it('telemetry sends what was recorded to a collector', async () => {
  const { url, sent } = await collector();
  const metrics = await startOtlpMetrics({ endpoint: `${url}/`, version: '1.2.3' });
  const journal = openTestJournal(testFolder());
  onTestFinished(() => journal.close());
  journal.onCommit(metrics.record);
  journal.append([batchReceived('b'), ...started({ callId: 'c1', batchId: 'b' })]);
  journal.append([settled('c1', { cpuMs: 5, peakMemoryBytes: 1000 })]);
  journal.append([callReceived({ callId: 'c2', batchId: 'b', index: 1 })]);
  journal.append([settled('c2', {}, { code: 'Denylisted', message: 'No.' }, 'DENIED')]);
  await metrics.stop();
  expect(sent.map(({ path }) => path)).toEqual(['/v1/metrics']);
  const [resource] = sent[0]?.body.resourceMetrics ?? [];
  expect(resource?.resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'gatehouse' } });
  const found = resource?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
  expect(found.map((metric) => metric.name).sort()).toEqual([
    'gatehouse.call.cpu',
    'gatehouse.call.duration',
    'gatehouse.call.peak_memory',
    'gatehouse.calls',
    'gatehouse.denials',
    'gatehouse.transitions',
  ]);
  expect(found.find((metric) => metric.name === 'gatehouse.calls')).toMatchObject({
    sum: { dataPoints: [{ asDouble: 1 }, { asDouble: 1 }] },
  });
});

it('telemetry costs the journal nothing when nobody listens', async () => {
  const metrics = await startOtlpMetrics({ endpoint: 'http://127.0.0.1:9', version: '1', intervalMs: 4000 });
  const journal = openTestJournal(testFolder());
  journal.onCommit(metrics.record);
  journal.append([batchReceived('b'), ...started({ callId: 'c1', batchId: 'b' })]);
  expect(journal.health.state).toBe('ok');
  await metrics.stop().catch(() => undefined);
  journal.close();
});

it('telemetry follows the configuration: on, elsewhere, off; a bad address is a problem and no more', async () => {
  const [first, second] = [await collector(), await collector()];
  const journal = openTestJournal(testFolder());
  onTestFinished(() => journal.close());
  const problems: unknown[] = [];
  const otlp = new OtlpSwitch({ journal, version: '1', onProblem: (problem) => problems.push(problem) });
  await otlp.set(first.url);
  await otlp.set(first.url);
  journal.append([batchReceived('b1')]);
  await otlp.set(second.url);
  journal.append([batchReceived('b2')]);
  await otlp.set('no address');
  journal.append([batchReceived('b3')]);
  await otlp.set('');
  expect(first.sent).toHaveLength(1);
  expect(second.sent).toHaveLength(1);
  expect(problems).toHaveLength(1);
});
