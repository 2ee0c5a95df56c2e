import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** By the places where testcontainers looks for an engine. It is not asked itself: it looks only once in a process. */
export function hasDocker(): boolean {
  const { DOCKER_HOST, XDG_RUNTIME_DIR } = process.env
  const home = homedir()
  const sockets = [
    '/var/run/docker.sock',
    join(XDG_RUNTIME_DIR ?? '/nonexistent', 'docker.sock'),
    join(home, '.docker', 'run', 'docker.sock'),
    join(home, '.docker', 'desktop', 'docker.sock'),
    join(home, '.testcontainers.properties'),
  ]
  return DOCKER_HOST !== undefined || process.platform === 'win32' || sockets.some((socket) => existsSync(socket))
}
