// Containers of Boost.
#include <boost/container/flat_map.hpp>
#include <boost/unordered_map.hpp>
#include <string>

class Index {
  public:
    void add(int key);
    void prepare();

  private:
    boost::unordered_map<int, std::string> rows;
    boost::container::flat_map<int, int> order;
};

[[gnu::noinline]] void Index::add(int key)
{
    rows.emplace(key, std::string(900, 'r')); // guilty
}

[[gnu::noinline]] void Index::prepare()
{
    order.reserve(200000);
}

int main()
{
    auto *index = new Index;
    index->prepare();
    for (int i = 0; i < 60000; i++)
        index->add(i);
}
