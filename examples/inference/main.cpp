// Serves an activation whose text it reads while it runs. The interpreter answers at once. Machine code answers, with the same
// bits, as soon as a thread in the background has made it. README.md has the options.
#include <actgen.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace
{

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

// Objects of the library, freed at the end of their scope.
template <auto release> struct Free {
    template <class T> void operator()(T *object) const { release(object); }
};
using Engine = std::unique_ptr<actgen_engine, Free<actgen_engine_free>>;
using Spec = std::unique_ptr<actgen_spec, Free<actgen_spec_free>>;
using Kernel = std::unique_ptr<actgen_kernel, Free<actgen_kernel_free>>;

// Throws if a call of the library failed. The exception names the place in the text, if the error has one.
void check(const std::string &what, int status, const actgen_error &error)
{
    if (!status) return;
    const std::string place =
        error.line ? ":" + std::to_string(error.line) + ":" + std::to_string(error.column) : "";
    throw std::runtime_error(what + place + ": " + error.message);
}

// Calls a function of the library that makes an object, and returns the object.
template <class Owner, class Make> Owner made(const std::string &what, Make make)
{
    typename Owner::pointer out = nullptr;
    actgen_error error{};
    check(what, make(&out, &error), error);
    return Owner(out);
}

// An activation that runs by the interpreter first, and by machine code later. Threads may call it at any time.
class Activation
{
  public:
    Activation(actgen_engine *engine, const std::string &file, const std::string &text)
        : engine_(engine), name_(file),
          spec_(made<Spec>(file,
                           [&](auto out, auto error) {
                               return actgen_spec_parse(out, file.c_str(), text.data(), text.size(), error);
                           })),
          interpreter_(compile(true)), serving_(interpreter_.get())
    {
        background_ = std::thread([this] { make_code(); });
    }

    ~Activation()
    {
        stop_ = true; // ends a search for plans
        background_.join();
    }

    // Returns the kernel that answers now, by one load and no lock. Kernels live as long as this object.
    const actgen_kernel *serving() const { return serving_.load(std::memory_order_acquire); }
    bool is_settled() const { return settled_.load(std::memory_order_acquire); }
    const actgen_kernel *interpreter() const { return interpreter_.get(); }
    const std::string &news() const { return news_; } // valid once it is settled

  private:
    Kernel compile(bool interpret)
    {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        options.interpret = interpret;
        options.progress = [](void *payload, double, const char *) {
            return static_cast<int>(static_cast<std::atomic<bool> *>(payload)->load());
        };
        options.progress_payload = &stop_;
        return made<Kernel>(name_, [&](auto out, auto error) {
            return actgen_compile(out, engine_, spec_.get(), nullptr, &options, error);
        });
    }

    // Compiles machine code and publishes it. Where there can be none, the kernel says why, and the interpreter goes on.
    void make_code()
    {
        try {
            code_ = compile(false);
            news_ = actgen_kernel_backend(code_.get());
            if (actgen_kernel_fn(code_.get())) serving_.store(code_.get(), std::memory_order_release);
        } catch (const std::runtime_error &failure) {
            news_ = failure.what();
        }
        settled_.store(true, std::memory_order_release);
    }

    actgen_engine *engine_;
    std::string name_, news_;
    std::atomic<bool> stop_{false}, settled_{false};
    Spec spec_;
    Kernel interpreter_, code_;
    std::atomic<const actgen_kernel *> serving_;
    std::thread background_;
};

// A request: arrays for all operands of a kernel of f32. The inputs are filled with numbers.
class Request
{
  public:
    Request(const actgen_kernel *kernel, size_t rows, size_t cols) : rows_(rows), cols_(cols)
    {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        for (size_t i = 0; i < actgen_kernel_operand_count(kernel); i++) {
            actgen_kernel_operand_info(kernel, i, &info);
            if (info.type != ACTGEN_F32 || info.shape != ACTGEN_SHAPE_MATRIX)
                throw std::runtime_error(std::string(info.name) +
                                         ": this server has operands f32 of [rows, cols] alone");
            if (info.part) continue;
            std::vector<float> values(rows * cols * info.parts);
            for (size_t k = 0; k < values.size() && !info.is_result; k++)
                values[k] = static_cast<float>(static_cast<int>(k * 2654435761u % 2001) - 1000) / 125;
            arrays_.push_back(std::move(values));
            if (info.is_result) first_result_ = std::min(first_result_, arrays_.size() - 1);
        }
        for (const auto &array : arrays_) operands_.push_back({array.data(), 0});
    }

    void run(const actgen_kernel *kernel)
    {
        actgen_error error{};
        check(actgen_kernel_name(kernel),
              actgen_run(kernel, rows_, cols_, operands_.data(), operands_.size(), &error), error);
    }

    bool has_results_of(const Request &other) const
    {
        for (size_t i = first_result_; i < arrays_.size(); i++)
            if (std::memcmp(arrays_[i].data(), other.arrays_[i].data(), arrays_[i].size() * sizeof(float)))
                return false;
        return true;
    }

  private:
    size_t rows_, cols_, first_result_ = SIZE_MAX;
    std::vector<std::vector<float>> arrays_;
    std::vector<actgen_operand> operands_;
};

struct Latencies {
    std::vector<double> all;

    void print(const char *by) const
    {
        if (all.empty()) return;
        std::vector<double> sorted = all;
        std::sort(sorted.begin(), sorted.end());
        std::printf("by %-14s %6zu requests: the first %.3f ms, median %.3f, worst %.3f\n", by, all.size(),
                    all.front(), sorted[sorted.size() / 2], sorted.back());
    }
};

// Answers requests until `count` of them came after the end of the background thread's work. Returns false if the bits of an
// answer differ.
bool serve(const Activation &activation, size_t rows, size_t cols, size_t count)
{
    Request request(activation.interpreter(), rows, cols), first(activation.interpreter(), rows, cols);
    first.run(activation.interpreter());
    Latencies interpreted, compiled;
    bool equal = true;
    while (count) {
        const bool settled = activation.is_settled();
        const auto begin = Clock::now();
        const actgen_kernel *kernel = activation.serving();
        request.run(kernel);
        (actgen_kernel_fn(kernel) ? compiled : interpreted).all.push_back(milliseconds(Clock::now() - begin));
        equal = equal && request.has_results_of(first);
        count -= settled;
    }
    std::printf("background: %s\n", activation.news().c_str());
    interpreted.print("interpreter");
    compiled.print("machine code");
    std::puts(equal ? "all answers have the same bits" : "answers DIFFER");
    return equal;
}

// Forbids executable memory, as sandboxes and SELinux do. Returns 77 if this Linux kernel cannot do so.
int forbid_executable_memory()
{
#if defined(__linux__)
    const int deny_write_execute = 65 /* PR_SET_MDWE, Linux 6.3 */, refuse_gain = 1;
    if (!prctl(deny_write_execute, refuse_gain, 0, 0, 0)) return 0;
#endif
    std::puts("skipped: this system cannot forbid executable memory");
    return 77;
}

std::string read_file(const std::string &path)
{
    std::ifstream file(path);
    std::stringstream text;
    if (!(text << file.rdbuf())) throw std::runtime_error(path + ": it cannot be read");
    return text.str();
}

const char default_text[] = "# A gate of one's own: SiLU with a bend that turns later, and a smooth limit.\n"
                            "function bent(x) = x * sigmoid(1.3*x + 0.2*tanh(x))\n"
                            "kernel gate([gate | up]: f32) -> (y: f32) { y = bent(gate) * up }\n";

} // namespace

int main(int argc, char **argv)
try {
    std::string file = "gate.act", text = default_text, cache;
    size_t requests = 200;
    for (int i = 1; i < argc; i++) {
        const std::string word = argv[i];
        if (word == "--forbid-code") {
            if (int status = forbid_executable_memory()) return status;
        } else if (word == "--requests" && i + 1 < argc) {
            requests = std::stoul(argv[++i]);
        } else if (word == "--cache" && i + 1 < argc) {
            cache = argv[++i];
        } else if (word.rfind("--", 0)) {
            text = read_file(file = word);
        } else {
            std::fputs("usage: inference [FILE.act] [--requests N] [--cache FOLDER] [--forbid-code]\n",
                       stderr);
            return 2;
        }
    }
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    options.cache_directory = cache.c_str(); // "": none, so that each run compiles
    const Engine engine = made<Engine>(
        "actgen", [&](auto out, auto error) { return actgen_engine_create_with(out, &options, error); });
    const auto begin = Clock::now();
    Activation activation(engine.get(), file, text);
    std::printf("%s answers after %.1f ms of planning\n", actgen_kernel_name(activation.interpreter()),
                milliseconds(Clock::now() - begin));
    return !serve(activation, 16, 4096, requests);
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
