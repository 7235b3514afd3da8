// Package e2e holds workloads: programs of fixed work on real libraries. Each
// directory with a workload.toml is one of them.
package e2e
