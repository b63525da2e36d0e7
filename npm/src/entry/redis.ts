/**
 * Filters in Redis (RedisBloom) and Valkey (valkey-bloom): push them, pull them, use them where they are. Takes the client that
 * you have, of ioredis or node-redis; neither is a dependency of this package. The filters are those of `tepal`, which this
 * entry imports and does not bring along a second time.
 */
export { doctor, type DoctorOptions, type FilterReport, type Report } from "../redis/doctor.js";
export type { RemoteInfo } from "../redis/info.js";
export type { IoredisClient, NodeRedisClient, RedisClient, WaitOptions } from "../redis/link.js";
export { RemoteBloomFilter, type RemoteBloomFilterOptions } from "../redis/remote.js";
export { type RemoteScheme, type ServerDefaults, serverDefaults, type ServerInfo, serverInfo } from "../redis/server.js";
export { type Progress, pull, type PullOptions, push, type PushOptions } from "../redis/transfer.js";
export type { Wanted } from "../redis/wanted.js";
