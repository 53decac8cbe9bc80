import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A worker of Perl’s own modules, so that it runs as a program and in an image of nothing else. What it is asked for it first has
 * written in a ledger outside, over its proxy, with a word of its own that begins with “-”; it answers when the ledger does.
 */
export const LEDGER_WORKER = String.raw`
use strict; use IO::Socket::INET;
my $ledger = shift @ARGV; my ($mark) = (grep({ /^-/ } @ARGV), '');
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
    print $proxy "POST http://127.0.0.1:$ledger/$run$mark HTTP/1.1\r\nHost: 127.0.0.1:$ledger\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    exit 1 unless (<$proxy> // '') =~ /^HTTP\/1\.1 200 /;
    $said = qq({"ok":true,"meta":{"trace_id":"$trace","tool_run_id":"$run"},"output":{"began":"$run"}});
  }
  print $client "HTTP/1.1 200 OK\r\nContent-Length: ", length $said, "\r\nConnection: close\r\n\r\n$said";
  exit 0;
}
`;

export interface Ledger {
  readonly port: number;
  /** The ids of calls with their worker’s mark, in the order in which it began with them; one that began twice stands here twice. */
  readonly began: readonly string[];
  readonly held: () => number;
  /** Who waits goes on, or those of them that are meant. */
  readonly let: (which?: (entry: string) => boolean) => void;
  /** And nobody waits any more. */
  readonly letAll: () => void;
}

export async function openLedger(): Promise<Ledger> {
  const began: string[] = [];
  const held = new Map<ServerResponse, string>();
  let isOpen = false;
  const server = createServer((request, response) => {
    const entry = (request.url ?? '').slice(1);
    began.push(entry);
    if (isOpen) return void response.end();
    held.set(response, entry);
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
    let: (which = () => true) => {
      for (const [response, entry] of held) if (which(entry)) response.end();
    },
    letAll: () => {
      isOpen = true;
      for (const response of held.keys()) response.end();
    },
  };
}
