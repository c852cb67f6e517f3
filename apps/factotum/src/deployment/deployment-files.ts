/** What a deployment says about itself in its package.json. */
export interface DeploymentFacts {
  readonly version: string;
  /** The chosen channels. */
  readonly channels: readonly string[];
  /** Channels that were known and not chosen. */
  readonly others: readonly string[];
  /** The extension packages with their versions. */
  readonly packages: readonly { readonly name: string; readonly version: string }[];
}

const PORT = 18_790;
const HOME = "/var/lib/factotum";
const ENTRY = "node_modules/factotum/dist/factotum.mjs";

/** The generated files of a deployment, next to `node_modules`. Rendered alike for the same facts. */
export function renderDeploymentFiles(facts: DeploymentFacts): Readonly<Record<string, string>> {
  return {
    Dockerfile: renderDockerfile(),
    ".dockerignore": "# Only what runs: no configuration and no keys become part of the image.\n*\n!package.json\n!node_modules\n",
    "compose.yaml": renderCompose(),
    "package.json": renderPackage(facts),
  };
}

function renderPackage({ version, channels, others, packages }: DeploymentFacts): string {
  const manifest = {
    name: "factotum-deployment",
    private: true,
    scripts: { start: `exec node ${ENTRY} gateway run --setup` },
    dependencies: Object.fromEntries([["factotum", version], ...packages.map((one) => [one.name, one.version])]),
    engines: { node: ">=24.16.0" },
    factotum: { extensions: packages.map(({ name }) => name), build: { version, channels, others } },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** The image has Node, the folder, and nothing else; state and configuration are in the volume. */
function renderDockerfile(): string {
  const check = `fetch("http://127.0.0.1:" + process.env.FACTOTUM_PORT + "/readyz").then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))`;
  const json = (words: readonly string[]): string => JSON.stringify(words).replaceAll('","', '", "');
  return `FROM node:24-slim
ENV NODE_ENV=production \\
    FACTOTUM_HOME=${HOME} \\
    FACTOTUM_PORT=${PORT} \\
    PATH=/app/node_modules/.bin:$PATH
RUN install -d -o node -g node -m 700 ${HOME}
WORKDIR /app
COPY . .
USER node
VOLUME ${HOME}
EXPOSE ${PORT}
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ${json(["node", "-e", check])}
CMD ${json(["node", ENTRY, "gateway", "run", "--setup", "--bind", "lan", "--hide-token"])}
`;
}

/** Changes belong in `compose.override.yaml`, which Compose reads too. The gateway stores its state within 30 seconds of a stop. */
function renderCompose(): string {
  return `# Written by factotum build, and replaced by the next one. Put changes into compose.override.yaml.
services:
  factotum:
    build: .
    image: factotum
    init: true
    restart: unless-stopped
    stop_grace_period: 40s
    ports:
      - "127.0.0.1:${PORT}:${PORT}"
    volumes:
      - factotum:${HOME}
volumes:
  factotum:
`;
}
