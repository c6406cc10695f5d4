# docs/operating.md, "In a container", says how it is run.

# docs/operating.md says how to pin both images to digests.
ARG NODE_IMAGE=node:24-slim
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund
COPY . .
# The hash of the sources is kept with the build: the start compares them, and builds nothing.
# Whatever the umask of the checkout was, everybody can read what comes out.
RUN npm run trim && chmod -R a+rX /app

# What the build's image stands on, without a second Node and without npm: the service brings the Node that it runs on.
FROM ${BASE_IMAGE}
RUN groupadd --system --gid 10001 heed \
  && useradd --system --uid 10001 --gid heed --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin heed \
  && install --directory --owner=heed --group=heed --mode=0700 /data
# Everything belongs to root: the service can read it, and change nothing of it.
COPY --from=build /app /app
WORKDIR /app
ENV NODE_ENV=production HEED_DATA_DIR=/data PORT=3000 \
  PATH=/app/node_modules/.bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
USER 10001:10001
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Of bash alone: a Node of its own every ten seconds would take more than the service at rest.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["/bin/bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /api/health/live HTTP/1.0\\r\\n\\r\\n' >&3 && read -r -t 4 status <&3 && [[ $status == HTTP/1.?' 200 '* ]]"]
CMD ["/app/node_modules/.bin/node", "--disable-warning=ExperimentalWarning", "lib/server/start.ts"]
