import type { AllowedHost } from '../../domain/policy/allowed-hosts.js';
import { isExecutable } from '../environment/system-files.js';

/** Addresses as the kernel takes them. A longer path would be cut, and be another's. */
const SOCKETS = String.raw`
my ($PF_UNIX, $PF_INET, $PF_INET6, $STREAM) = (1, 2, 10, 1);
sub unix_at { if (length $_[0] > 107) { $! = 36; return } pack 'S a108', $PF_UNIX, $_[0] }
sub inet_at { pack 'S n C4 x8', $PF_INET, $_[0], 127, 0, 0, 1 }
sub inet6_at { pack 'S n N x15 C N', $PF_INET6, $_[0], 0, 1, 0 }
`;

/**
 * Inside the confinement there is a network of its own with nobody in it. Programs look for a proxy on a port of this
 * machine, so there a small program listens and passes everything on to the proxy’s socket. The same way a worker’s own
 * server, which listens in that network, is reached from a socket outside it.
 *
 * Perl, because it is there on nearly every Linux, can listen before the command begins (no command ever finds the port
 * closed), and does it in one process, which does not count against what the command may start. It leaves the command’s
 * family, so that no program waits for it as for a child, and ends with the confinement.
 *
 * It loads no module: Socket, Fcntl, Errno, strict and warnings together take Perl five times as long as all the rest, and each
 * start waits for it. The numbers are Linux’s own, on each processor that Electron runs on; `strict` and `warnings` look at it
 * in a test.
 */
const SCRIPT = String.raw`
my ($most, $chunk) = (512, 65536);
${SOCKETS}
my ($F_SETFL, $O_NONBLOCK, $EINTR, $EAGAIN) = (4, 2048, 4, 11);
sub give_up { print STDERR "gatehouse: the way to the network could not be made: $_[0]: $!\n"; exit 126 }
# Each way is a door here and where it leads to; “ready” is a descriptor on which it is said that there somebody listens.
my (@doors, $ready);
while (@ARGV) {
  my $way = shift; last if $way eq '--';
  my ($kind, $at, @to) = $way =~ /^(\w+):(.*?)=(\w+):(.*)$/ or give_up($way);
  my $door;
  if ($kind eq 'tcp') {
    socket($door, $PF_INET, $STREAM, 0) or give_up('socket');
    setsockopt($door, 1, 2, 1); # SOL_SOCKET, SO_REUSEADDR
    bind($door, inet_at($at)) or give_up('bind');
  } elsif ($kind eq 'unix') {
    my $mask = umask 0177;
    my $address = unix_at($at) or give_up($at);
    socket($door, $PF_UNIX, $STREAM, 0) or give_up('socket');
    bind($door, $address) or give_up('bind');
    umask $mask;
  } else { open($door, '+<&=', $at) or give_up('open') }
  if ($kind eq 'ready') { $ready = { handle => $door, to => \@to }; next }
  listen($door, 128) or give_up('listen');
  push @doors, { handle => $door, to => \@to };
}
if (@ARGV) {
  defined(my $child = fork) or give_up('fork');
  if ($child) {
    waitpid $child, 0;
    close $_->{handle} for @doors, $ready || ();
    exec { $ARGV[0] } @ARGV or exit 127;
  }
}
# All of this before the first of the two is gone, since the command begins then: a signal to its group is not for us.
$0 = 'gatehouse-network';
open STDIN, '<', '/dev/null'; open STDOUT, '>', '/dev/null'; open STDERR, '>', '/dev/null';
if (@ARGV) {
  setpgrp;
  $SIG{$_} = 'IGNORE' for qw(TERM INT HUP);
  defined(my $next = fork) or exit 126;
  exit 0 if $next;
}
$SIG{PIPE} = 'IGNORE';
fcntl($_->{handle}, $F_SETFL, $O_NONBLOCK) for @doors;

sub reach {
  my ($kind, $at) = @_;
  my @places = $kind eq 'unix'
    ? [$PF_UNIX, unix_at($at)]
    : ([$PF_INET, inet_at($at)], [$PF_INET6, inet6_at($at)]);
  for my $place (@places) {
    return $_[2] if socket($_[2], $place->[0], $STREAM, 0) && connect($_[2], $place->[1]);
  }
  return;
}

# Each end of a connection by its number: its handle, what waits to be written to it, whether it has said all it had to
# say (over), whether it was told that nothing more comes (shut), and the other end.
my %ends;
sub join_ends {
  my @two = map { fcntl($_, $F_SETFL, $O_NONBLOCK); { handle => $_, number => fileno $_, waiting => '', over => 0, shut => 0 } } @_;
  ($two[0]{other}, $two[1]{other}) = ($two[1], $two[0]);
  $ends{$_->{number}} = $_ for @two;
}
sub part {
  for my $end ($_[0], $_[0]{other}) { delete $ends{$end->{number}}; close $end->{handle} }
  delete $_[0]{other}{other}; delete $_[0]{other};
}
sub failed { return $! != $EAGAIN && $! != $EINTR }
while (1) {
  my ($in, $out) = ('', '');
  if (keys %ends < $most) { vec($in, fileno $_->{handle}, 1) = 1 for @doors }
  for my $end (values %ends) {
    vec($in, $end->{number}, 1) = 1 if !$end->{over} && $end->{other}{waiting} eq '';
    vec($out, $end->{number}, 1) = 1 if $end->{waiting} ne '';
  }
  if ($ready && reach(@{$ready->{to}}, my $there)) {
    syswrite $ready->{handle}, "ready\n";
    close $ready->{handle};
    undef $ready;
  }
  next if select($in, $out, undef, $ready ? 0.001 : undef) < 0;
  # A copy: what is parted meanwhile must not be pulled from under the loop.
  my @all = values %ends;
  for my $end (@all) {
    next unless $end->{other};
    if (vec($out, $end->{number}, 1)) {
      my $written = syswrite $end->{handle}, $end->{waiting};
      if (defined $written) { substr($end->{waiting}, 0, $written) = '' }
      elsif (failed()) { part($end); next }
    }
    if (vec($in, $end->{number}, 1)) {
      my $read = sysread($end->{handle}, my $bytes, $chunk);
      if ($read) { $end->{other}{waiting} = $bytes }
      elsif (defined $read) { $end->{over} = 1 }
      elsif (failed()) { part($end); next }
    }
  }
  for my $end (@all) {
    next unless $end->{other} && $end->{over} && $end->{other}{waiting} eq '';
    unless ($end->{other}{shut}) { shutdown $end->{other}{handle}, 1; $end->{other}{shut} = 1 }
    part($end) if $end->{shut};
  }
  for my $door (@doors) {
    next unless vec($in, fileno $door->{handle}, 1);
    if (accept(my $client, $door->{handle})) {
      my $there;
      join_ends($client, $there) if reach(@{$door->{to}}, $there);
    } elsif (failed()) { select(undef, undef, undef, 0.05) }
  }
}
`;

/** The path of the proxy’s socket inside. */
export const INSIDE_SOCKET = '/run/gatehouse-network';
/** The port of the proxy. In a network that holds nothing else, any port is free. */
const PORT = 3128;

/** Only places that a workspace can’t write to. */
const PERLS: readonly string[] = [
  '/usr/bin/perl',
  '/bin/perl',
  '/usr/local/bin/perl',
  '/run/current-system/sw/bin/perl',
];

export const findPerl = (): string | null => PERLS.find(isExecutable) ?? null;

/** The bridge from a port to a socket, in a network that holds nothing else. */
export const toProxy = (socket: string): string => `tcp:${PORT}=unix:${socket}`;

/** Where it is known from outside that a server inside listens: its port there, a socket of ours, and our descriptor. */
export const toServer = (socket: string, port: number): readonly string[] => [
  `unix:${socket}=tcp:${port}`,
  `ready:3=tcp:${port}`,
];

/** Put before a command’s words; without words after it, it is all that runs. */
export const bridgeWords = (perl: string, ways: readonly string[] = [toProxy(INSIDE_SOCKET)]): readonly string[] => [
  perl,
  '-e',
  SCRIPT,
  ...ways,
  '--',
];

/**
 * Put before what confines a worker: a socket outside, on which it is reached from the start. The door goes inside open, and
 * no folder has to be shared. Its number is not known before, and the first word that stands for it is given it.
 */
export const serverDoor = (perl: string, path: string): readonly string[] => [perl, '-e', DOOR, path];

const DOOR = String.raw`
my $path = shift;
${SOCKETS}
$^F = 1000;
umask 0177;
my ($door, $address) = (undef, unix_at($path));
defined $address && socket($door, $PF_UNIX, $STREAM, 0) && bind($door, $address) && listen($door, 128)
  or do { print STDERR "gatehouse: the worker could not be given a socket: $!\n"; exit 126 };
umask 0022;
for (@ARGV) { last if s/^fd:\?=/'fd:' . fileno($door) . '='/e }
exec { $ARGV[0] } @ARGV or exit 127;
`;

/** The variables that programs read to find the proxy. Both spellings: some know one, some the other. */
export function proxyEnvironment(hosts: readonly AllowedHost[]): Record<string, string> {
  const proxy = `http://127.0.0.1:${PORT}`;
  // What a command itself serves is reached directly, unless the list means this machine’s own services by that name.
  const direct = OWN_NAMES.filter((name) => !hosts.some(({ host }) => host === name)).map((name) =>
    name.replace(/^\[(.*)\]$/u, '$1'),
  );
  return {
    http_proxy: proxy,
    HTTP_PROXY: proxy,
    https_proxy: proxy,
    HTTPS_PROXY: proxy,
    no_proxy: direct.join(','),
    NO_PROXY: direct.join(','),
    NODE_USE_ENV_PROXY: '1',
  };
}

const OWN_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
