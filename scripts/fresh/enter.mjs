// Into another root by pivot_root: in a plain chroot the kernel makes no user namespaces, and nothing could be confined.
import { run } from '../setup/run.mjs';

/** What the programs of that machine may know of this one: how the registries are reached. */
const PASSED_ON = /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(?:https?|no)_proxy)$/iu;

/** All that it started ends with it: its processes have a namespace of their own. */
export async function enter(root, place, command) {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.test(name)));
  const apart = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child'];
  const { code } = await run('unshare', [...apart, 'sh', '-euc', GO_IN, 'sh', root, place, ...command], {
    env: {
      ...environment,
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/root',
      USER: 'root',
      LANG: 'C.UTF-8',
      CI: 'true',
    },
  });
  return code;
}

const GO_IN = `
root=$1 place=$2; shift 2
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount --rbind /sys sys
mount --rbind /dev dev
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mkdir -p old
pivot_root . old
cd /
umount -l /old
rmdir /old
cd "$place"
# The first process takes in what others leave, and lets go of what has ended: the shell does both while it waits.
node scripts/fresh/inside.mjs "$@" &
wait $!
`;
