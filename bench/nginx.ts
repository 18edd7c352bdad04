// The second yardstick: PostgREST behind nginx, which do the work that Quoin does. nginx checks the API key and keeps a
// limit for each key; PostgREST checks a token for anon. Only where nginx is installed.

import { spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitUntil } from '../cli/support/wait.ts'
import { freePort } from '../local/ports.ts'

/** Most requests a second that `limit_req` counts to: no run comes near it. */
const RATE_PER_SECOND = 1_000_000

/** Whether the program can be started. */
export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v'], { stdio: 'ignore' }).error === undefined
}

/** Starts nginx on a free port before the server at `upstream`; only requests with the key pass. */
export async function startNginx(folder: string, upstream: string, key: string) {
  const port = await freePort()
  const config = join(folder, 'nginx.conf')
  await writeFile(config, configText(port, upstream, key), { mode: 0o600 })
  const child = spawn('nginx', ['-p', folder, '-c', config, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  await waitUntil({ what: 'nginx answers', deadlineMs: 10_000 }, async () => {
    const response = await fetch(url)
    return response.status === 401 ? true : undefined
  })
  return { url, pid: child.pid ?? 0, stop: async () => void child.kill('SIGTERM') }
}

function configText(port: number, upstream: string, key: string): string {
  return `daemon off;
worker_processes auto;
pid nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path nginx-body;
  proxy_temp_path nginx-proxy;
  fastcgi_temp_path nginx-fastcgi;
  uwsgi_temp_path nginx-uwsgi;
  scgi_temp_path nginx-scgi;
  limit_req_zone $http_apikey zone=keys:10m rate=${RATE_PER_SECOND}r/s;
  map_hash_bucket_size 256;
  map $http_apikey $is_known { default 0; "${key}" 1; }
  upstream postgrest { server ${new URL(upstream).host}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    limit_req zone=keys burst=1000 nodelay;
    if ($is_known = 0) { return 401; }
    location / {
      proxy_pass http://postgrest;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`
}
