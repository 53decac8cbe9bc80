import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A worker of Perl’s own modules, so that it runs as a program and in an image of nothing else. What it is asked for it first has
 * written in a ledger outside, over its proxy; it answers when the ledger does.
 */
export const LEDGER_WORKER = String.raw`
use strict; use IO::Socket::INET;
my $ledger = shift @ARGV;
$SIG{CHLD} = 'IGNORE'; $| = 1;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ENV{PORT}, Listen => 64) or die "no port: $!";
print "ready\n";
while (1) {
  my $client = $server->accept or next;
  if (fork) { close $client; next }
  my ($length, $verb) = (0, '');
  while (my $line = <$client>) {
    $verb = $1 if $line =~ /^([A-Z]+) \//;
    $length = $1 if $line =~ /^content-length: (\d+)/i;
    last if $line =~ /^\r?\n$/;
  }
  my $said = '{}';
  if ($verb eq 'POST') {
    read $client, my $asked, $length;
    my ($run) = $asked =~ /"tool_run_id":"([^"]+)"/;
    my ($trace) = $asked =~ /"trace_id":"([^"]+)"/;
    my $proxy = IO::Socket::INET->new(PeerAddr => '127.0.0.1:3128') or exit 1;
    print $proxy "POST http://127.0.0.1:$ledger/$run HTTP/1.1\r\nHost: 127.0.0.1:$ledger\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    exit 1 unless (<$proxy> // '') =~ /^HTTP\/1\.1 200 /;
    $said = qq({"ok":true,"meta":{"trace_id":"$trace","tool_run_id":"$run"},"output":{"began":"$run"}});
  }
  print $client "HTTP/1.1 200 OK\r\nContent-Length: ", length $said, "\r\nConnection: close\r\n\r\n$said";
  exit 0;
}
`;

export interface Ledger {
  readonly port: number;
  /** By the ids of calls, in the order in which a worker began with them; one that began twice stands here twice. */
  readonly began: readonly string[];
  readonly held: () => number;
  /** Who waits goes on; `forGood`: and nobody waits any more. */
  readonly let: (forGood?: boolean) => void;
}

export async function openLedger(): Promise<Ledger> {
  const began: string[] = [];
  const held = new Set<ServerResponse>();
  let isOpen = false;
  const server = createServer((request, response) => {
    began.push((request.url ?? '').slice(1));
    if (isOpen) return void response.end();
    held.add(response);
    // Who was ended waits no more.
    response.once('close', () => held.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    began,
    held: () => held.size,
    let: (forGood = false) => {
      isOpen = forGood;
      for (const response of held) response.end();
    },
  };
}
